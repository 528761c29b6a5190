import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { parseCall, type FinishedCall, type HookEvent, type HookFlags } from "./hook-event.js";
import { writeHookLog } from "./hook-log.js";

/** `DEFAULTS.giantTokens`, without loading the engine: a hook sees a result once, when it arrives. */
const MIN_TOKENS = 6_400;
/** A character is at most three bytes, and so at most as many tokens. */
const MAX_TOKENS_PER_CHAR = 3;

/**
 * The answer to an event, as the text for standard output; `undefined` lets the result through. It
 * never throws: an agent must not stop because of us.
 */
export async function answerHook(
  text: string,
  args: readonly string[],
): Promise<string | undefined> {
  let root: string | undefined;
  try {
    const event = JSON.parse(text) as HookEvent;
    const flags = parseFlags(args);
    root = rootOf(flags, event);
    const call = parseCall(event);
    if (!call || !isWorthIt(call, flags, root)) return undefined;
    const { offloadCall } = await import("./offload-call.js");
    const answer = await offloadCall(call, event, { ...flags, root });
    return answer === undefined ? undefined : JSON.stringify(answer);
  } catch (error) {
    log(root, error);
    return undefined;
  }
}

function isWorthIt(call: FinishedCall, flags: HookFlags, root: string): boolean {
  const { toolName, input, response } = call;
  if (response === undefined || flags.exclude.includes(toolName) || isSwitchedOff(root)) {
    return false;
  }
  const minChars = (flags.minTokens ?? MIN_TOKENS) / MAX_TOKENS_PER_CHAR;
  if (JSON.stringify(response).length < minChars) return false;
  // Where references give paths, what is read back from one must not become a reference again.
  return flags.toolPrefix !== undefined || !JSON.stringify(input ?? null).includes(inJson(root));
}

/** A text as it is within JSON. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The same rule as the gateway's, without loading its package. */
function isSwitchedOff(root: string): boolean {
  const { CONTEXT_OFFLOAD: value = "" } = process.env;
  return /^(?:off|0|false|no)$/i.test(value.trim()) || existsSync(join(root, "off"));
}

function rootOf({ root, isInProject }: HookFlags, { cwd }: HookEvent): string {
  if (isAbsolute(root)) return root;
  // A session may change its folder; the server of its project does not.
  const { CLAUDE_PROJECT_DIR: project } = process.env;
  if (isInProject && project) return join(project, root);
  return join(typeof cwd === "string" ? cwd : process.cwd(), root);
}

/** Parses `--name value` pairs; what it does not know is ignored, since an old setting must do no harm. */
export function parseFlags(args: readonly string[]): HookFlags {
  const valueOf = (name: string): string | undefined => {
    const at = args.indexOf(name);
    return at === -1 ? undefined : args[at + 1];
  };
  const { CONTEXT_OFFLOAD_EXCLUDE: excluded = "" } = process.env;
  const exclude = `${valueOf("--exclude") ?? ""},${excluded}`.split(",");
  const minTokens = Number(valueOf("--min-tokens"));
  return {
    root: valueOf("--root") ?? ".offload",
    isInProject: args.includes("--in-project"),
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
