import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SessionFigures } from "context-offload/ledger";
import { readLedgerFiles } from "context-offload/stores";
import { agentSession } from "../hook/hook-event.js";
import { readTrace, type HookTrace } from "../hook/hook-trace.js";
import { inLine } from "../terminal/printable.js";
import { whyNothing } from "./why-nothing.js";

/** What an agent tells its status line; other agents tell nothing, or other things. */
interface StatusInput {
  readonly session_id?: unknown;
  readonly transcript_path?: unknown;
  readonly cwd?: unknown;
  readonly workspace?: { readonly project_dir?: unknown; readonly current_dir?: unknown };
}

/** Where the workspace is looked for. */
export interface StatusPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As `--workspace` says. */
  readonly root?: string | undefined;
  readonly namespace?: string | undefined;
}

/** One line: net in this session, results stored, reads; or why there are none. Never throws. */
export async function statusLine(
  input: string,
  place: StatusPlace,
  red: (text: string) => string = (text) => text,
): Promise<string> {
  try {
    const said = inLine(await describe(parse(input), place));
    return `offload: ${said.startsWith(COSTS) ? red(said) : said}`;
  } catch (error) {
    return `offload: ${inLine(error instanceof Error ? error.message : String(error))}`;
  }
}

async function describe(given: StatusInput, place: StatusPlace): Promise<string> {
  const root = rootOf(given, place);
  const session = textOf(given.session_id);
  const { CONTEXT_OFFLOAD: value = "" } = place.env;
  if (/^(?:off|0|false|no)$/i.test(value.trim()) || existsSync(join(root, "off"))) {
    return "switched off";
  }
  const seen = seenIn(textOf(given.transcript_path));
  if (!existsSync(root)) {
    return seen.large > 0
      ? `${seen.large} large results, nothing offloaded (the hook was never called); run context-offload doctor`
      : "nothing large yet";
  }
  const trace = readTrace(root);
  const { namespace } = place;
  const sessions = session === undefined ? undefined : withAgents(session, trace);
  const report = await readLedgerFiles({ root, namespace, sessions });
  const [latest] = report.sessions;
  const own = session === undefined ? latest && [latest] : report.sessions;
  const expectsHook = session !== undefined && seen.results > 0;
  const [why] = whyNothing({ sessions: own ?? [], trace, session, expectsHook });
  if (!own || own.every(({ results, requests }) => results + requests === 0)) {
    return why ?? "nothing large yet";
  }
  return [figuresOf(own), ...(why === undefined ? [] : [why])].join(" | ");
}

const COSTS = "costs";

/** The net of these sessions, in the words of `stats`. */
export function figuresOf(sessions: readonly SessionFigures[]): string {
  const sum = (figure: (one: SessionFigures) => number, of = sessions) =>
    of.reduce((all, one) => all + figure(one), 0);
  const parts = (["all requests", "each request"] as const).flatMap((over) => {
    const of = sessions.filter((one) => one.over === over);
    if (of.length === 0) return [];
    const net = sum((one) => one.net, of);
    const where =
      over === "all requests"
        ? `in ${count(
            sum((one) => one.requests, of),
            "request",
          )}`
        : over;
    const when = over === "all requests" ? where : `in ${where}`;
    const amount = `${Math.abs(net).toLocaleString("en-US")} tokens`;
    return [net < 0 ? `${COSTS} ${amount} more than it saves ${when}` : `${amount} saved ${when}`];
  });
  const stored = count(
    sum(({ results }) => results),
    "result",
  );
  const reads = count(
    sum(({ readCalls }) => readCalls),
    "read",
  );
  return `${parts.join(", ")} | ${stored} stored | ${reads}`;
}

function count(many: number, noun: string): string {
  return `${many.toLocaleString("en-US")} ${noun}${many === 1 ? "" : "s"}`;
}

/** A session and those of its subagents. */
export function withAgents(session: string, { agents }: Pick<HookTrace, "agents">): string[] {
  return [session, ...[...(agents.get(session) ?? [])].map((id) => agentSession(session, id))];
}

function rootOf({ workspace, cwd }: StatusInput, place: StatusPlace): string {
  const named = place.root ?? (place.env["CONTEXT_OFFLOAD_WORKSPACE"] || undefined);
  const project =
    textOf(workspace?.project_dir) ?? textOf(workspace?.current_dir) ?? textOf(cwd) ?? place.cwd;
  return resolve(project, named?.replace(/^file:/, "") ?? ".offload");
}

function parse(input: string): StatusInput {
  try {
    return (JSON.parse(input) ?? {}) as StatusInput;
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** So much of the end of a recording is looked at. */
const MAX_TAIL_BYTES = 1_000_000;
/** A line of a recording with a result that large is a little longer. */
const LARGE_CHARS = 25_600;

/** How many tool results the end of a recorded session has, and how many large ones that are no references. */
function seenIn(path: string | undefined): { readonly results: number; readonly large: number } {
  const lines = path === undefined ? [] : tailOf(path).split("\n");
  const results = lines.filter((line) => line.includes('"tool_result"'));
  const large = results.filter(
    (line) => line.length >= LARGE_CHARS && !line.includes("<knowledge_list>"),
  );
  return { results: results.length, large: large.length };
}

function tailOf(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size, MAX_TAIL_BYTES));
      const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8", 0, read);
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
