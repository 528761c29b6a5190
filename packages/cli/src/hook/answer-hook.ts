import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import {
  parseCall,
  agentOf,
  sessionOf,
  type FinishedCall,
  type HookEvent,
  type HookFlags,
} from "./hook-event.js";
import { writeHookLog } from "./hook-log.js";
import { writeTrace } from "./hook-trace.js";
import { isFileTool, isKeptCall } from "./kept-calls.js";

/** `DEFAULTS.giantTokens`, without loading the engine: a hook sees a result once, when it arrives. */
const GIANT_TOKENS = 6_400;
/** `DEFAULTS.charsPerToken` times these: whoever keeps so much should know why. */
const LARGE_CHARS = 25_600;
/** A character is at most three bytes, and so at most as many tokens. */
const MAX_TOKENS_PER_CHAR = 3;

/**
 * The answer to an event, as the text for standard output; `undefined` lets the result through. It
 * never throws: an agent must not stop because of us.
 *
 * @param given The event, or its text.
 */
export async function answerHook(
  given: unknown,
  args: readonly string[],
): Promise<string | undefined> {
  let root: string | undefined;
  try {
    const event = (typeof given === "string" ? JSON.parse(given) : given) as HookEvent;
    const parsed = parseFlags(args);
    const call = parseCall(event, parsed.agent);
    root = rootOf(parsed, event);
    if (!call || root === undefined) return undefined;
    const flags = isFileTool(call.toolName) ? withoutThreshold(parsed) : parsed;
    const { answer, kept } = await answerCall(call, event, { ...flags, root });
    const hasTools = flags.toolPrefix === undefined ? undefined : true;
    writeTrace(root, { session: sessionOf(event), agent: agentOf(event), kept, hasTools });
    return answer === undefined ? undefined : JSON.stringify(answer);
  } catch (error) {
    log(root, error);
    return undefined;
  }
}

/** The answer, or why a large result is kept that no offloader decided about. */
async function answerCall(
  call: FinishedCall,
  event: HookEvent,
  flags: HookFlags,
): Promise<{ readonly answer?: object | undefined; readonly kept?: string | undefined }> {
  const { root } = flags;
  const { response } = call;
  if (response === undefined) return {};
  const chars = JSON.stringify(response).length;
  const reason = reasonToKeep(call, event, flags);
  if (reason !== undefined) return chars >= LARGE_CHARS ? { kept: reason } : {};
  // What is read back from a path in a reference must not become a reference again.
  if (isReadByPath(call, root)) {
    if (isSwitchedOff(event, root)) return {};
    const { noteReadByPath } = await import("./offload-call.js");
    await noteReadByPath(call, event, flags);
    return {};
  }
  const minChars = (flags.minTokens ?? GIANT_TOKENS) / MAX_TOKENS_PER_CHAR;
  if (chars < minChars) return {};
  const { offloadCall } = await import("./offload-call.js");
  const { answer, kept } = await offloadCall(call, event, flags);
  return { answer, ...(chars >= LARGE_CHARS ? { kept } : {}) };
}

function withoutThreshold(flags: HookFlags): HookFlags {
  const { minTokens = GIANT_TOKENS } = flags;
  return { ...flags, minTokens: Math.max(minTokens, GIANT_TOKENS) };
}

function reasonToKeep(
  { toolName, input }: FinishedCall,
  event: HookEvent,
  flags: HookFlags,
): string | undefined {
  if (flags.exclude.includes(toolName)) return "its tool is excluded";
  if (isSwitchedOff(event, flags.root)) return "switched off";
  const reason = "a subagent's report, or a part of a file that was asked for";
  return isKeptCall(toolName, input) ? reason : undefined;
}

function isReadByPath({ input }: FinishedCall, root: string): boolean {
  const said = JSON.stringify(input ?? null);
  const relativeRoot = join(basename(root), "v1");
  return said.includes(inJson(root)) || said.includes(inJson(relativeRoot));
}

/** A text as it is within JSON. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * The same rule as the gateway's, without loading its package. The switch of a project counts wherever its results
 * are stored.
 */
function isSwitchedOff({ cwd }: HookEvent, root: string): boolean {
  const { CONTEXT_OFFLOAD: value = "" } = process.env;
  const folders = [root, ...(typeof cwd === "string" ? [join(cwd, ".offload")] : [])];
  return (
    /^(?:off|0|false|no)$/i.test(value.trim()) ||
    folders.some((folder) => existsSync(join(folder, "off")))
  );
}

function rootOf(flags: HookFlags, { cwd, transcript_path: path }: HookEvent): string | undefined {
  const { root, isInProject, isInTranscripts } = flags;
  if (isAbsolute(root)) return root;
  // The transcripts are in a folder of that one.
  if (isInTranscripts)
    return typeof path === "string" ? join(dirname(dirname(path)), root) : undefined;
  // A session may change its folder; the server of its project does not.
  const { CLAUDE_PROJECT_DIR: project } = process.env;
  if (isInProject && project) return join(project, root);
  return join(typeof cwd === "string" ? cwd : process.cwd(), root);
}

/** Parses `--name value` pairs; what it does not know is ignored, since an old setting must do no harm. */
export function parseFlags(args: readonly string[]): HookFlags {
  const valueOf = (name: string): string | undefined => {
    const at = args.lastIndexOf(name);
    return at === -1 ? undefined : args[at + 1];
  };
  const { CONTEXT_OFFLOAD_EXCLUDE: excluded = "" } = process.env;
  const exclude = `${valueOf("--exclude") ?? ""},${excluded}`.split(",");
  const minTokens = Number(valueOf("--min-tokens"));
  const agent = valueOf("--agent");
  return {
    root: valueOf("--root") ?? ".offload",
    isInProject: args.includes("--in-project"),
    isInTranscripts: args.includes("--in-transcripts"),
    agent: agent === "codex" || agent === "qwen" ? agent : undefined,
    exclude: exclude.map((name) => name.trim()).filter(Boolean),
    toolPrefix: valueOf("--tool-prefix"),
    minTokens: Number.isSafeInteger(minTokens) && minTokens > 0 ? minTokens : undefined,
  };
}

function log(root: string | undefined, error: unknown): void {
  try {
    if (root !== undefined) writeHookLog(root, error);
  } catch {
    // There is nobody left to tell.
  }
}
