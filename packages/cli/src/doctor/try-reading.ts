import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { CLAUDE_TOOL_PREFIX } from "../install/claude-code.js";
import { HOOK_CALL, HOOK_FIELDS } from "../hook/hook-call.js";

const LINES = 3_000;
const SAMPLE = Array.from({ length: LINES }, (_, at) => `line ${at + 1} of a sample`).join("\n");
/** In the middle of the sample, where no digest shows it. */
const NEEDLE = `line ${LINES / 2 + 7} of a sample`;
const TIMEOUT_MS = 20_000;

/** How a client starts our server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** A hook as a client's settings have it: a command line, or a call of the server with these arguments. */
export type HookSetup =
  | { readonly client: string; readonly command: string }
  | { readonly client: string; readonly args: readonly unknown[] };

/**
 * Makes a reference as the client would, in a folder of its own, and reads it by its path and, if there is a server,
 * with a tool. Resolves to what is wrong.
 */
export async function tryReading(
  hook: HookSetup,
  server: ServerCommand | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "context-offload-doctor-"));
  // What switches offloading off for one process is no fault of the settings.
  const own = { CONTEXT_OFFLOAD: "", CONTEXT_OFFLOAD_EXCLUDE: "", CLAUDE_PROJECT_DIR: folder };
  const started = { cwd: folder, env: { ...env, ...own } };
  const connection = server && connect(server, started);
  try {
    const event = eventOf(hook.client, folder);
    const answer =
      "command" in hook
        ? await runCommand(hook.command, JSON.stringify(event), started)
        : ((await connection?.call(HOOK_CALL, { ...asTexts(event), args: hook.args })) ?? "");
    if (answer === "") return "the hook let a large result through";
    const reference = referenceIn(JSON.parse(answer));
    const [, path] = / path="([^"]+)"/.exec(reference) ?? [];
    if (path === undefined) return "the hook's reference names no file";
    if (!readFileSync(path, "utf8").includes(NEEDLE)) return `${path} does not hold the result`;
    if (!connection) return undefined;
    const [, artifact_id] = /<knowledge id="([^"]+)"/.exec(reference) ?? [];
    const [, session_id] = / session_id="([^"]+)"/.exec(reference) ?? [];
    const read = await connection.call("grep_knowledge", {
      ...{ artifact_id, session_id, pattern: NEEDLE },
    });
    return read.includes(NEEDLE) ? undefined : `the reading tool answered: ${read.slice(0, 200)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    connection?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function eventOf(client: string, cwd: string): Readonly<Record<string, unknown>> {
  const name = `${CLAUDE_TOOL_PREFIX}sample`;
  const common = { session_id: "doctor", cwd, tool_name: name, tool_use_id: "doctor" };
  if (client === "copilot") {
    const toolResult = { textResultForLlm: SAMPLE, resultType: "success" };
    return { sessionId: "doctor", cwd, toolName: name, toolArgs: {}, toolResult };
  }
  if (client === "gemini") {
    const transcript_path = join(cwd, "chats", "doctor.jsonl");
    const tool_response = { llmContent: SAMPLE };
    return { ...common, hook_event_name: "AfterTool", transcript_path, tool_response };
  }
  const tool_response = client === "qwen" ? { llmContent: SAMPLE } : SAMPLE;
  const transcript_path = join(cwd, "chats", "doctor.jsonl");
  const event = { ...common, hook_event_name: "PostToolUse", tool_input: {}, tool_response };
  return { ...event, transcript_path };
}

/** As the client puts an event into the call's template. */
function asTexts(event: Readonly<Record<string, unknown>>): Record<string, string> {
  const textOf = (value: unknown = ""): string =>
    typeof value === "string" ? value : JSON.stringify(value);
  return Object.fromEntries(HOOK_FIELDS.map((name) => [name, textOf(event[name])]));
}

/** The reference in an answer, or in the file that the answer names. */
function referenceIn(answer: unknown): string {
  if (typeof answer === "string") {
    return answer.startsWith("<knowledge_list>") ? answer : "";
  }
  if (typeof answer !== "object" || answer === null) return "";
  const { file_path } = answer as { readonly file_path?: unknown };
  if (typeof file_path === "string") return readFileSync(file_path, "utf8");
  return Object.values(answer).map(referenceIn).find(Boolean) ?? "";
}

interface Started {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

function runCommand(command: string, input: string, started: Started): Promise<string> {
  const child = spawn(command, { ...started, shell: true, timeout: TIMEOUT_MS });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    let output = "";
    let problem = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (problem += text));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`the hook ended with ${code}: ${problem.trim().split("\n")[0]}`));
    });
  });
}

/** As much of an MCP client as a check needs. */
function connect({ command, args }: ServerCommand, started: Started) {
  const child = spawn(command, args, { ...started, timeout: TIMEOUT_MS });
  const waiting = new Map<number, (message: Answer) => void>();
  let failure: Error | undefined;
  const fail = (error: Error): void => {
    failure ??= error;
    for (const done of waiting.values()) done({ error: failure });
  };
  child.on("error", fail);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said ||= text));
  child.on("close", () => {
    fail(new Error(["the server ended", said.split("\n")[0]].filter(Boolean).join(": ")));
  });
  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as Answer & { readonly id?: number };
    waiting.get(message.id ?? -1)?.(message);
  });
  let last = 0;
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const request = async (method: string, params: object): Promise<Answer["result"]> => {
    const id = ++last;
    const { result, error } = await new Promise<Answer>((done) => {
      waiting.set(id, done);
      if (failure) fail(failure);
      else send({ id, method, params });
    });
    if (error) throw new Error(error.message);
    return result;
  };
  const clientInfo = { name: "context-offload-doctor", version: "1" };
  const ready = request("initialize", {
    ...{ protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  }).then(() => {
    send({ method: "notifications/initialized" });
  });
  ready.catch(() => undefined);
  return {
    async call(name: string, input: object): Promise<string> {
      await ready;
      const result = await request("tools/call", { name, arguments: input });
      return (result?.content ?? []).map(({ text = "" }) => text).join("\n");
    },
    close: () => void child.kill(),
  };
}

interface Answer {
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
  readonly error?: { readonly message: string };
}
