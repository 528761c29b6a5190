import { open, stat } from "node:fs/promises";
import type { Terminal } from "../terminal/terminal.js";
import { findSessions } from "../replay/find-sessions.js";

/** What a provider counted, as an agent recorded it. */
export interface RecordedUsage {
  /** All input, from a cache or not. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** Requests to the model. */
  readonly turns: number;
}

const NO_USAGE: RecordedUsage = { inputTokens: 0, cacheReadTokens: 0, outputTokens: 0, turns: 0 };

/** The lines of a recorded session. */
type Lines = readonly string[];

/** Agents whose recorded sessions have the provider's figures, and how they tell them. */
const READERS: Readonly<Record<string, (sessions: readonly Lines[]) => RecordedUsage>> = {
  "Claude Code": (sessions) => readClaude(sessions.flat()),
  Codex: (sessions) => sessions.map(readCodex).reduce((sum, used) => addUsage(sum, used), NO_USAGE),
};
export const RECORDING_AGENTS = Object.keys(READERS).join(" and ");

/** How long each recorded session is. */
export type Recordings = ReadonlyMap<string, number>;

export async function lookAtRecordings(terminal: Terminal): Promise<Recordings> {
  const sizes = new Map<string, number>();
  for (const { name, paths } of await findSessions(terminal)) {
    if (!(name in READERS)) continue;
    for (const path of paths) {
      const found = await stat(path).catch(() => undefined);
      if (found) sizes.set(path, found.size);
    }
  }
  return sizes;
}

/** What was recorded since; `undefined` if there is no request in it. */
export async function usageSince(
  before: Recordings,
  terminal: Terminal,
): Promise<RecordedUsage | undefined> {
  let sum = NO_USAGE;
  for (const { name, paths } of await findSessions(terminal)) {
    const read = READERS[name];
    if (!read) continue;
    const sessions: Lines[] = [];
    for (const path of paths) {
      // What is compressed is old.
      if (path.endsWith(".jsonl")) sessions.push(await linesSince(path, before.get(path) ?? 0));
    }
    sum = addUsage(sum, read(sessions));
  }
  return sum.turns === 0 ? undefined : sum;
}

async function linesSince(path: string, from: number): Promise<Lines> {
  const found = await stat(path).catch(() => undefined);
  if (!found || found.size <= from) return [];
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(found.size - from);
    await file.read(bytes, 0, bytes.length, from);
    return bytes.toString("utf8").split("\n");
  } finally {
    await file.close();
  }
}

function addUsage(one: RecordedUsage, other: RecordedUsage, sign: 1 | -1 = 1): RecordedUsage {
  return {
    inputTokens: one.inputTokens + sign * other.inputTokens,
    cacheReadTokens: one.cacheReadTokens + sign * other.cacheReadTokens,
    outputTokens: one.outputTokens + sign * other.outputTokens,
    turns: one.turns + sign * other.turns,
  };
}

type Json = Readonly<Record<string, unknown>>;

/** A reply is on several lines, one for each block, with the same id; the last has its final usage. */
function readClaude(lines: Lines): RecordedUsage {
  const replies = new Map<string, RecordedUsage>();
  for (const line of lines) {
    const { type, message } = parse(line);
    const { id, usage } = asObject(message);
    if (type !== "assistant" || typeof id !== "string" || !usage) continue;
    const counts = asObject(usage);
    const cacheReadTokens = countIn(counts["cache_read_input_tokens"]);
    const written = countIn(counts["cache_creation_input_tokens"]);
    replies.set(id, {
      inputTokens: countIn(counts["input_tokens"]) + cacheReadTokens + written,
      ...{ cacheReadTokens, outputTokens: countIn(counts["output_tokens"]), turns: 1 },
    });
  }
  return [...replies.values()].reduce((sum, used) => addUsage(sum, used), NO_USAGE);
}

/**
 * Requests are followed by an event with the session's sum, and with what the last one took; the same may be told
 * again, and a request that was repeated is only in the sum.
 */
function readCodex(lines: Lines): RecordedUsage {
  let [start, end] = [NO_USAGE, NO_USAGE];
  let turns = 0;
  for (const line of lines) {
    const payload = asObject(parse(line)["payload"]);
    const { total_token_usage, last_token_usage } = asObject(payload["info"]);
    if (payload["type"] !== "token_count" || !total_token_usage) continue;
    const total = codexCounts(asObject(total_token_usage));
    if (total.inputTokens === end.inputTokens) continue;
    // A session that goes on begins with what it took before.
    if (turns === 0) start = addUsage(total, codexCounts(asObject(last_token_usage)), -1);
    end = total;
    turns++;
  }
  return { ...addUsage(end, start, -1), turns };
}

function codexCounts(counts: Json): RecordedUsage {
  return {
    inputTokens: countIn(counts["input_tokens"]),
    cacheReadTokens: countIn(counts["cached_input_tokens"]),
    outputTokens: countIn(counts["output_tokens"]),
    turns: 0,
  };
}

function parse(line: string): Json {
  try {
    return asObject(JSON.parse(line));
  } catch {
    return {};
  }
}

function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function countIn(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
