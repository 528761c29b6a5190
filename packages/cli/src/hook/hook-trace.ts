import { closeSync, constants, existsSync, fstatSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openOwnFile, readOwnFile } from "./own-file.js";

/** One line for each call of the hook, so that others can tell whether it is called at all. */
const TRACE_FILE = "hook-calls.jsonl";
const OLDER_FILE = "hook-calls.old.jsonl";
const MAX_TRACE_BYTES = 250_000;

/** A call of the hook, or a client that asked our server for its tools. */
export interface TraceLine {
  readonly at: string;
  readonly session?: string | undefined;
  /** The subagent whose call it was; its results are in a session of its own. */
  readonly agent?: string | undefined;
  /** Why a large result was kept before the engine was asked. */
  readonly kept?: string | undefined;
  /** Whether its references name reading tools. */
  readonly hasTools?: true | undefined;
  readonly event?: "tools listed" | undefined;
}

/** What the traces of a workspace say. */
export interface HookTrace {
  /** By session. */
  readonly calls: ReadonlyMap<string, number>;
  /** The subagents of each session. */
  readonly agents: ReadonlyMap<string, ReadonlySet<string>>;
  /** Large results that were kept, by session and reason. */
  readonly keptLarge: ReadonlyMap<string, Readonly<Record<string, number>>>;
  /** Whether references name reading tools. */
  readonly hasTools: boolean;
  /** Whether a client has asked for the list of our tools. */
  readonly areToolsListed: boolean;
}

/** Appends a line; only in a workspace that exists, and never fails. */
export function writeTrace(root: string, line: Omit<TraceLine, "at">): void {
  try {
    if (!existsSync(root)) return;
    const { O_APPEND, O_CREAT, O_WRONLY } = constants;
    const file = openOwnFile(root, TRACE_FILE, O_APPEND | O_CREAT | O_WRONLY);
    if (file === undefined) return;
    let isFull = false;
    try {
      writeSync(file, `${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`);
      isFull = fstatSync(file).size > MAX_TRACE_BYTES;
    } finally {
      closeSync(file);
    }
    if (!isFull) return;
    const { areToolsListed } = readTrace(root);
    renameSync(join(root, TRACE_FILE), join(root, OLDER_FILE));
    // Said once, when a session starts: it must outlive the calls after it.
    if (areToolsListed) writeTrace(root, { event: "tools listed" });
  } catch {
    // Nobody depends on it.
  }
}

/** The same, as soon as there is a workspace: servers start before it has a result, and may end soon after. */
export function writeTraceLater(root: string, line: Omit<TraceLine, "at">): void {
  const write = (): void => {
    if (!existsSync(root)) return;
    clearInterval(timer);
    process.off("exit", write);
    writeTrace(root, line);
  };
  const timer = setInterval(write, RETRY_MS).unref();
  process.once("exit", write);
  write();
}

const RETRY_MS = 1_000;

export function readTrace(root: string): HookTrace {
  const calls = new Map<string, number>();
  const agents = new Map<string, Set<string>>();
  const keptLarge = new Map<string, Record<string, number>>();
  let [hasTools, areToolsListed] = [false, false];
  const text = [OLDER_FILE, TRACE_FILE].map((name) => readOwnFile(root, name)).join("");
  for (const line of text.split("\n")) {
    const { session, agent, kept, event, ...told } = parseLine(line);
    areToolsListed ||= event === "tools listed";
    hasTools ||= told.hasTools === true;
    if (typeof session !== "string") continue;
    calls.set(session, (calls.get(session) ?? 0) + 1);
    if (typeof agent === "string") {
      agents.set(session, (agents.get(session) ?? new Set()).add(agent));
    }
    if (typeof kept !== "string") continue;
    const reasons = keptLarge.get(session) ?? {};
    reasons[kept] = (reasons[kept] ?? 0) + 1;
    keptLarge.set(session, reasons);
  }
  return { calls, agents, keptLarge, hasTools, areToolsListed };
}

function parseLine(line: string): Partial<TraceLine> {
  try {
    return (JSON.parse(line) ?? {}) as Partial<TraceLine>;
  } catch {
    return {};
  }
}
