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

/** Agents whose recorded sessions have the provider's figures, and how a line tells them. */
const READERS: Readonly<Record<string, (lines: readonly string[]) => RecordedUsage>> = {
  "Claude Code": readClaude,
  Codex: readCodex,
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
    const lines: string[] = [];
    for (const path of paths) {
      // What is compressed is old.
      if (!path.endsWith(".jsonl")) continue;
      lines.push(...(await linesSince(path, before.get(path) ?? 0)));
    }
    sum = addUsage(sum, read(lines));
  }
  return sum.turns === 0 ? undefined : sum;
}

async function linesSince(path: string, from: number): Promise<string[]> {
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

function addUsage(one: RecordedUsage, other: RecordedUsage): RecordedUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    turns: one.turns + other.turns,
  };
}

type Json = Readonly<Record<string, unknown>>;

/** A reply is on several lines, one for each block, with the same id; the last has its final usage. */
function readClaude(lines: readonly string[]): RecordedUsage {
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
  return [...replies.values()].reduce(addUsage, NO_USAGE);
}

/** Each request is followed by an event with what it took, which may be told again. */
function readCodex(lines: readonly string[]): RecordedUsage {
  let sum = NO_USAGE;
  let known = "";
  for (const line of lines) {
    const payload = asObject(parse(line)["payload"]);
    if (payload["type"] !== "token_count") continue;
    const info = asObject(payload["info"]);
    const total = JSON.stringify(info["total_token_usage"] ?? null);
    const last = asObject(info["last_token_usage"]);
    if (total === known || typeof last["input_tokens"] !== "number") continue;
    known = total;
    sum = addUsage(sum, {
      inputTokens: countIn(last["input_tokens"]),
      cacheReadTokens: countIn(last["cached_input_tokens"]),
      outputTokens: countIn(last["output_tokens"]),
      turns: 1,
    });
  }
  return sum;
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
