/**
 * The plugin that Cline loads, in a process of its own: it asks our hook about each large text in a result, and puts
 * the answer in its place. Cline's hooks, which are commands, cannot do that. It imports nothing but Node's own, since
 * Cline compiles what it loads.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where `install` writes the command of the hook: Cline looks for plugins there. */
export function clinePluginPath(
  { CLINE_DIR }: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  const folder = CLINE_DIR?.trim() || join(home, ".cline");
  return join(folder, "plugins", "context-offload", "package.json");
}

/** Shorter texts are no giants whatever they are made of: a character is at most three tokens. */
const MIN_CHARS = 2_000;
/** Cline waits for 3 s, and then ends itself with an error. */
const PATIENCE_MS = 2_000;

/** What Cline tells of a call, as far as it is needed. */
export interface ClineCall {
  readonly snapshot: { readonly conversationId?: string; readonly agentId?: string };
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string };
  readonly input: unknown;
  readonly result: { readonly output: unknown; readonly isError?: boolean };
}

export default {
  name: "context-offload",
  manifest: { capabilities: ["hooks"] },
  hooks: { afterTool: (call: ClineCall) => afterTool(call) },
};

/** The result with references in the place of its large texts; `undefined` keeps it. */
export async function afterTool(
  call: ClineCall,
  patienceMs = PATIENCE_MS,
): Promise<{ readonly result: ClineCall["result"] } | undefined> {
  const { result } = call;
  if (result.isError === true) return undefined;
  try {
    const output = await shortened(result.output, { ...call, patienceMs });
    return output === result.output ? undefined : { result: { ...result, output } };
  } catch {
    return undefined;
  }
}

interface TimedCall extends ClineCall {
  readonly patienceMs: number;
}

/** Tools of Cline answer with a list, an item for each thing that they were asked for; those of servers with blocks. */
async function shortened(output: unknown, call: TimedCall): Promise<unknown> {
  if (typeof output === "string") return ask(output, call);
  if (Array.isArray(output)) {
    const items = output.map((item: unknown, at) => shortenedItem(item, call, at));
    const after = await Promise.all(items);
    return after.every((item, at) => item === output[at]) ? output : after;
  }
  const { content } = (output ?? {}) as { readonly content?: unknown };
  const texts = Array.isArray(content) ? content.map(textOf) : [];
  if (texts.length === 0 || texts.includes(undefined)) return output;
  const text = texts.join("\n");
  const reference = await ask(text, call);
  return reference === text
    ? output
    : { ...(output as object), content: [{ type: "text", text: reference }] };
}

async function shortenedItem(item: unknown, call: TimedCall, at: number): Promise<unknown> {
  const { result, success } = (item ?? {}) as { readonly result?: unknown; success?: unknown };
  if (typeof result !== "string" || success === false) return item;
  const { toolCallId } = call.toolCall;
  const own = at === 0 ? toolCallId : `${toolCallId}-${at}`;
  const after = await ask(result, { ...call, toolCall: { ...call.toolCall, toolCallId: own } });
  return after === result ? item : { ...(item as object), result: after };
}

function textOf(block: unknown): string | undefined {
  const { type, text } = (block ?? {}) as { readonly type?: unknown; readonly text?: unknown };
  return type === "text" && typeof text === "string" ? text : undefined;
}

/** The reference for a text, or the text itself if it is kept. */
async function ask(text: string, call: TimedCall): Promise<string> {
  if (text.length < MIN_CHARS) return text;
  const { snapshot, toolCall, input, patienceMs } = call;
  const event = {
    ...{ hook_event_name: "PostToolUse", cwd: process.cwd() },
    session_id: snapshot.conversationId ?? snapshot.agentId,
    ...{ tool_name: toolCall.toolName, tool_use_id: toolCall.toolCallId },
    ...{ tool_input: input, tool_response: text },
  };
  const answer = await runHook(JSON.stringify(event), patienceMs);
  const { stopReason } = (answer === "" ? {} : JSON.parse(answer)) as { stopReason?: unknown };
  return typeof stopReason === "string" ? stopReason : text;
}

function runHook(event: string, patienceMs: number): Promise<string> {
  const child = spawn(hookCommand(), { shell: true, stdio: ["pipe", "pipe", "ignore"] });
  return new Promise((resolve) => {
    let answer = "";
    const late = setTimeout(() => {
      child.kill();
      resolve("");
    }, patienceMs);
    const end = (text: string): void => {
      clearTimeout(late);
      resolve(text);
    };
    child.on("error", () => {
      end("");
    });
    child.on("close", () => {
      end(answer);
    });
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk));
    child.stdin.on("error", () => undefined).end(event);
  });
}

function hookCommand(): string {
  const text = readFileSync(clinePluginPath(process.env, homedir()), "utf8");
  const { cline } = JSON.parse(text) as {
    readonly cline: { readonly plugins: readonly { readonly command?: string }[] };
  };
  return cline.plugins.find(({ command }) => command !== undefined)?.command ?? "";
}
