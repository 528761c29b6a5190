import { DEFAULTS } from "../../defaults.js";
import type { Hash } from "../../engine/format.js";
import { parseJson } from "../../lib/json/plain-json.js";
import { decodeWtf8, encodeWtf8 } from "../../lib/text/wtf8.js";
import type { ArtifactRecord } from "../artifacts/artifact.js";
import type { ArtifactStore } from "../artifacts/artifact-store.js";
import type { Defer } from "../artifacts/retention.js";
import type { Clock } from "../events.js";
import { setLru } from "../../lib/set-lru.js";
import { joinRanges, type LineRange } from "./line-ranges.js";

/**
 * What offloading brought, noted while it happens: tokens, counts and names of tools, never content.
 * Each process adds entries of its own to a session; what a session brought is the sum of its entries.
 */

/** Tokens of input, summed over the requests that carried them, or for one request where their number is unknown. */
export interface TokenFlow {
  /** What the offloaded results would have taken. */
  readonly whole: number;
  /** What their references took. */
  readonly references: number;
  /** Calls and answers of the reading tools. */
  readonly reads: number;
  /** Reading tools and system prompt. */
  readonly fixed: number;
}

/** What a provider said that its requests took, in tokens. */
export interface ProviderUsage {
  /** Input that was not read from a cache, as billed in full. */
  readonly inputTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

/** What providers said of so many requests, in tokens. */
export type UsageSums = Readonly<Record<keyof ProviderUsage | "requests", number>>;

/** What is known of one result, or of several of one tool. */
export interface LedgerRow {
  /** `ALL_RESULTS` where it is about several. */
  readonly artifactId: string;
  /** How many were offloaded; 0 in an entry that only tells of reads. */
  readonly results: number;
  readonly toolName: string | null;
  /** When it was first offloaded. */
  readonly at: string;
  /** Its tokens, and those of its reference. */
  readonly whole: number;
  readonly reference: number;
  /** How many requests carried its reference, and what that saved in all of them. */
  readonly requests: number;
  readonly saved: number;
  /** What answers that read it took in these requests. */
  readonly carriedReads: number;
  readonly reads: number;
  readonly readTokens: number;
  /** Of these, what was offloaded again once it was stale. */
  readonly forgottenTokens: number;
  /** Which lines were read, where the reads were by lines; not all of them if they are very many. */
  readonly lines?: readonly LineRange[] | undefined;
}

/** The requests of a day, and what they carried. */
export interface DaySum extends TokenFlow {
  readonly requests: number;
}

/** What one process noted of a session since it last wrote. */
export interface LedgerEntry {
  readonly version: 1;
  readonly from: string;
  readonly to: string;
  /** The requests whose messages were seen, by day. */
  readonly days: Readonly<Record<string, DaySum>>;
  /** What each request carries in any case, as last seen. */
  readonly fixedTokens: number;
  readonly rows: readonly LedgerRow[];
  /** Results beyond `DEFAULTS.ledgerRows`, by tool. */
  readonly others: readonly LedgerRow[];
  readonly usage?: UsageSums | undefined;
  /** Large results that were kept, by reason: for the case that nothing is offloaded at all. */
  readonly keptLarge: Readonly<Record<string, number>>;
  /** Entries whose sum this is; they no longer count. */
  readonly replaces?: readonly string[] | undefined;
}

type Open<T> = { -readonly [K in keyof T]: T[K] };

const NO_USAGE: UsageSums = {
  ...{ requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
};

/** A result as a request carries it. */
export interface CarriedResult {
  readonly artifactId: string;
  readonly toolName: string | undefined;
  readonly tokens: number;
  readonly referenceTokens: number;
}

/** A read as a request carries it: what it read, and what it takes whole and now. */
export interface CarriedRead {
  readonly artifactId: string | undefined;
  readonly tokens: number;
  readonly sentTokens: number;
}

/** What one request carries because of offloading. */
export function flowOf(
  results: readonly CarriedResult[],
  reads: readonly CarriedRead[],
  fixed: number,
): TokenFlow {
  const sum = <T>(items: readonly T[], tokens: (item: T) => number) =>
    items.reduce((all, item) => all + tokens(item), 0);
  return {
    whole: sum(results, (result) => result.tokens),
    references: sum(results, ({ referenceTokens }) => referenceTokens),
    reads: sum(reads, ({ sentTokens }) => sentTokens),
    fixed,
  };
}

/** The same as an event tells it. */
export function eventOf({ whole, references, reads, fixed }: TokenFlow) {
  return {
    tokens_whole: whole,
    tokens_references: references,
    tokens_reads: reads,
    tokens_fixed: fixed,
  };
}

export interface LedgerWiring {
  /** The store of the ledger's own namespace, opened on first use. */
  readonly openStore: () => ArtifactStore;
  readonly clock: Clock;
  readonly defer: Defer;
  readonly hash: Hash;
  /** A name of a tool as it may be written. */
  readonly nameOf: (name: string) => string;
}

/** Sums of one session that are not written yet. */
class OpenEntry {
  readonly from: string;
  readonly days: Record<string, Open<DaySum>> = {};
  fixedTokens = 0;
  usage: UsageSums | undefined;
  readonly rows = new Map<string, Open<LedgerRow>>();
  readonly keptLarge: Record<string, number> = {};

  constructor(from: string) {
    this.from = from;
  }

  row(artifactId: string, at: string): Open<LedgerRow> {
    let row = this.rows.get(artifactId);
    if (!row) this.rows.set(artifactId, (row = { ...NO_ROW, artifactId, at }));
    return row;
  }
}

interface LastRequest {
  readonly results: readonly CarriedResult[];
  readonly reads: readonly CarriedRead[];
  readonly flow: TokenFlow;
}

/** Of so many sessions the last request is remembered. */
const MAX_LAST = 100;

/** Notes what offloading brings, and writes it now and then; a failure to write harms nobody. */
export class Ledger {
  readonly #wiring: LedgerWiring;
  #open = new Map<string, OpenEntry>();
  readonly #last = new Map<string, LastRequest>();
  #isWaiting = false;
  #writing: Promise<void> = Promise.resolve();
  #count = 0;
  #isOpen = false;

  constructor(wiring: LedgerWiring) {
    this.#wiring = wiring;
  }

  /** A request with these references and reads in its messages, and what `flowOf` says of it. */
  request(
    sessionId: string,
    results: readonly CarriedResult[],
    reads: readonly CarriedRead[],
    flow: TokenFlow,
  ): void {
    const { entry, now } = this.#entryOf(sessionId);
    setLru(this.#last, sessionId, { results, reads, flow }, MAX_LAST);
    for (const { artifactId, toolName, tokens, referenceTokens } of results) {
      const row = entry.row(artifactId, now);
      row.toolName = this.#nameOf(toolName) ?? row.toolName;
      tellOf(row, tokens, referenceTokens);
      row.requests++;
      row.saved += tokens - referenceTokens;
    }
    for (const { artifactId, tokens, sentTokens } of reads) {
      if (artifactId === undefined) continue;
      const row = entry.row(artifactId, now);
      row.carriedReads += sentTokens;
      row.forgottenTokens = Math.max(row.forgottenTokens, tokens - sentTokens);
    }
    entry.fixedTokens = flow.fixed;
    addDay(entry.days, now.slice(0, DAY_CHARS), { ...flow, requests: 1 });
  }

  /** The last request again, with so many more tokens of reading in it. */
  repeat(sessionId: string, readTokens: number): TokenFlow | undefined {
    const last = this.#last.get(sessionId);
    if (!last) return undefined;
    const more = { artifactId: undefined, tokens: readTokens, sentTokens: readTokens };
    const flow = { ...last.flow, reads: last.flow.reads + readTokens };
    this.request(sessionId, last.results, [...last.reads, more], flow);
    return flow;
  }

  /** A result that was offloaded when it arrived; which requests carry it is not known. */
  arrival(sessionId: string, result: CarriedResult, fixedTokens: number): void {
    const { entry, now } = this.#entryOf(sessionId);
    const row = entry.row(result.artifactId, now);
    row.toolName = this.#nameOf(result.toolName);
    tellOf(row, result.tokens, result.referenceTokens);
    entry.fixedTokens = fixedTokens;
  }

  /** A large result that was kept. */
  keptLarge(sessionId: string, reason: string): void {
    const { entry } = this.#entryOf(sessionId);
    entry.keptLarge[reason] = (entry.keptLarge[reason] ?? 0) + 1;
  }

  /** An answer of a reading tool; without an id, it was a search or a listing over all results. */
  read(
    sessionId: string,
    artifactId: string | undefined,
    tokens: number,
    lines: readonly LineRange[] = [],
  ): void {
    const { entry, now } = this.#entryOf(sessionId);
    const row = entry.row(artifactId ?? ALL_RESULTS, now);
    row.reads++;
    row.readTokens += tokens;
    if (artifactId !== undefined) addLines(row, lines);
  }

  /** What a provider said of one request. */
  usage(sessionId: string, used: ProviderUsage): void {
    const { entry } = this.#entryOf(sessionId);
    const told = Object.entries(used).filter(([, tokens]) => tokens !== undefined);
    const sums = { ...NO_USAGE, ...Object.fromEntries(told), requests: 1 };
    entry.usage = addUsage(entry.usage ?? NO_USAGE, sums);
  }

  /** Writes what is not written yet. Never throws. */
  flush(): Promise<void> {
    const open = this.#open;
    this.#open = new Map();
    const write = async (): Promise<void> => {
      for (const [sessionId, entry] of open) {
        await this.#write(sessionId, entry).catch(() => undefined);
      }
    };
    return (this.#writing = this.#writing.then(write));
  }

  /** The sums of each session that has entries, those included that are not written yet. */
  async sums(sessionId?: string, signal?: AbortSignal): Promise<ReadonlyMap<string, LedgerEntry>> {
    await this.flush();
    return sumsOf(this.#store(), sessionId === undefined ? undefined : [sessionId], signal);
  }

  /** Closes its store, after what it wrote. */
  async close(): Promise<void> {
    await this.#writing;
    if (this.#isOpen) await this.#store().close?.();
  }

  /** Forgets a session, or everything, without a trace. */
  async purge(sessionId: string | undefined): Promise<void> {
    if (sessionId === undefined) this.#open.clear();
    else this.#open.delete(sessionId);
    await this.#writing;
    await this.#store().purge(sessionId);
  }

  #store(): ArtifactStore {
    this.#isOpen = true;
    return this.#wiring.openStore();
  }

  #entryOf(sessionId: string): { readonly entry: OpenEntry; readonly now: string } {
    const now = new Date(this.#wiring.clock.now()).toISOString();
    let entry = this.#open.get(sessionId);
    if (!entry) this.#open.set(sessionId, (entry = new OpenEntry(now)));
    if (!this.#isWaiting) {
      this.#isWaiting = true;
      this.#wiring.defer(() => {
        this.#isWaiting = false;
        void this.flush();
      }, DEFAULTS.ledgerDelayMs);
    }
    return { entry, now };
  }

  #nameOf(toolName: string | undefined): string | null {
    return toolName === undefined ? null : this.#wiring.nameOf(toolName);
  }

  async #write(sessionId: string, open: OpenEntry): Promise<void> {
    const store = this.#store();
    const to = new Date(this.#wiring.clock.now()).toISOString();
    const rows = [...open.rows.values()];
    const { from, days, fixedTokens, usage, keptLarge } = open;
    const told = { from, to, days, fixedTokens, usage, keptLarge };
    await this.#put(store, sessionId, sumEntries([{ version: 1, ...told, rows, others: [] }]));
    await this.#fold(store, sessionId);
  }

  /**
   * Replaces the oldest entries by their sum once there are many. All processes choose the same ones, and
   * their sum is the same entry, so that nothing is counted twice when two of them do it at once; and
   * entries that could not be removed do not count beside the sum that names them.
   */
  async #fold(store: ArtifactStore, sessionId: string): Promise<void> {
    const { artifacts } = await store.listSession(sessionId);
    if (artifacts.size < 2 * DEFAULTS.ledgerEntries) return;
    const entries = await readEntries(store, sessionId);
    const oldest = entries
      .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
      .slice(0, DEFAULTS.ledgerEntries);
    const replaced = oldest.flatMap(({ record, entry }) => [
      record.artifactId,
      ...(entry.replaces ?? []).filter((id) => artifacts.has(id)),
    ]);
    const sum = sumEntries(oldest.map(({ entry }) => entry));
    await this.#put(store, sessionId, { ...sum, replaces: replaced });
    for (const id of replaced) {
      const record = artifacts.get(id);
      if (record) await store.remove(record);
    }
  }

  async #put(store: ArtifactStore, sessionId: string, entry: LedgerEntry): Promise<void> {
    const { hash, clock } = this.#wiring;
    const text = JSON.stringify(entry);
    // Two entries may say the same; the sum of the same entries must not be stored twice.
    const wantedId = entry.replaces
      ? `sum-${hash(entry.replaces.join("\n")).slice(0, ID_DIGITS)}`
      : `${clock.now()}-${hash(`${text} ${Math.random()} ${(this.#count += 1)}`).slice(0, ID_DIGITS)}`;
    const bytes = encodeWtf8(text);
    await store.put({
      sessionId,
      wantedId,
      type: "JSON",
      content: bytes,
      hash: () => hash(text),
      size: () => ({ bytes: bytes.length, chars: text.length, lines: 1, tokens: 0 }),
      createdAt: entry.to,
      metadata: { ...NO_METADATA, context_type: "ledger" },
    });
  }
}

const NO_DAY: DaySum = { requests: 0, whole: 0, references: 0, reads: 0, fixed: 0 };
const DAY_CHARS = "2026-01-01".length;
const ID_DIGITS = 16;

/** Reads that were not of one result. */
export const ALL_RESULTS = "";

const NO_METADATA = {
  ...{ context_type: null, biz_id: null, agent_id: null, task_id: null, session_id: null },
  ...{ tool_name: null, action_name: null },
};

interface ReadEntry {
  readonly record: ArtifactRecord;
  readonly entry: LedgerEntry;
}

function keyOf({ record, entry }: ReadEntry): string {
  return `${entry.from} ${record.artifactId}`;
}

/** The entries of a session that count; what cannot be read is left out. */
async function readEntries(store: ArtifactStore, sessionId: string): Promise<ReadEntry[]> {
  const { artifacts } = await store.listSession(sessionId);
  const entries: ReadEntry[] = [];
  for (const record of [...artifacts.values()]) {
    const entry = await readEntry(store, record).catch(() => undefined);
    if (entry) entries.push({ record, entry });
  }
  const replaced = new Set(entries.flatMap(({ entry }) => entry.replaces ?? []));
  return entries.filter(({ record }) => !replaced.has(record.artifactId));
}

async function readEntry(
  store: ArtifactStore,
  record: ArtifactRecord,
): Promise<LedgerEntry | undefined> {
  const content = await store.open(record);
  try {
    const entry = parseJson(decodeWtf8(await content.read(0, content.size))) as
      LedgerEntry | undefined;
    return (entry?.version as unknown) === 1 ? entry : undefined;
  } finally {
    await content.close();
  }
}

/** The sums of sessions, or of all of a store. */
export async function sumsOf(
  store: ArtifactStore,
  sessions?: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, LedgerEntry>> {
  const found = new Map<string, LedgerEntry>();
  for (const id of sessions ?? (await store.sessions())) {
    signal?.throwIfAborted();
    const entries = await readEntries(store, id);
    if (entries.length > 0) found.set(id, sumEntries(entries.map(({ entry }) => entry)));
  }
  return found;
}

/** One entry that says what all of them say. */
export function sumEntries(entries: readonly LedgerEntry[]): LedgerEntry {
  const days: Record<string, Open<DaySum>> = {};
  const keptLarge: Record<string, number> = {};
  const rows = new Map<string, Open<LedgerRow>>();
  const others = new Map<string, Open<LedgerRow>>();
  let usage: UsageSums | undefined;
  let fixedTokens = 0;
  const times = entries.flatMap(({ from, to }) => [from, to]).sort();
  const ordered = [...entries].sort((one, other) => (one.to < other.to ? -1 : 1));
  for (const entry of ordered) {
    fixedTokens = entry.fixedTokens || fixedTokens;
    for (const [day, sum] of Object.entries(entry.days)) addDay(days, day, sum);
    for (const [reason, count] of Object.entries(entry.keptLarge)) {
      keptLarge[reason] = (keptLarge[reason] ?? 0) + count;
    }
    if (entry.usage) usage = addUsage(usage ?? NO_USAGE, entry.usage);
    for (const row of entry.rows) addRow(rows, row.artifactId, row);
    for (const row of entry.others) addRow(others, row.toolName ?? "", row);
  }
  const kept = [...rows.values()];
  if (kept.length > DEFAULTS.ledgerRows) {
    // The largest are told one by one.
    kept.sort(
      (one, other) => other.whole - one.whole || (one.artifactId < other.artifactId ? -1 : 1),
    );
    for (const row of kept.splice(DEFAULTS.ledgerRows)) {
      const several = { ...row, artifactId: ALL_RESULTS, lines: undefined };
      addRow(others, row.toolName ?? "", several, "of several");
    }
  }
  return {
    version: 1,
    ...{ from: times[0] ?? "", to: times.at(-1) ?? "", days, fixedTokens },
    ...{ rows: kept, others: [...others.values()], keptLarge },
    ...(usage ? { usage } : {}),
  };
}

const NO_ROW: LedgerRow = {
  ...{ artifactId: ALL_RESULTS, results: 0, toolName: null, at: "", whole: 0, reference: 0 },
  ...{ requests: 0, saved: 0, carriedReads: 0, reads: 0, readTokens: 0, forgottenTokens: 0 },
};

function addDay(days: Record<string, Open<DaySum>>, day: string, sum: DaySum): void {
  const known = (days[day] ??= { ...NO_DAY });
  for (const name of Object.keys(NO_DAY) as (keyof DaySum)[]) known[name] += sum[name];
}

function addLines(row: Open<LedgerRow>, lines: readonly LineRange[] = []): void {
  if (lines.length > 0) row.lines = joinRanges([...(row.lines ?? []), ...lines]);
}

function tellOf(row: Open<LedgerRow>, tokens: number, referenceTokens: number): void {
  row.results = 1;
  row.whole = tokens;
  row.reference = referenceTokens;
}

/** Adds what an entry says of a result to what is known of it; of one result, its size is told, not summed. */
function addRow(
  rows: Map<string, Open<LedgerRow>>,
  key: string,
  row: LedgerRow,
  about: "one result" | "of several" = row.artifactId === ALL_RESULTS ? "of several" : "one result",
): void {
  const known = rows.get(key);
  if (!known) {
    rows.set(key, { ...row });
    return;
  }
  known.toolName = row.toolName ?? known.toolName;
  if (row.at < known.at) known.at = row.at;
  for (const name of SUMMED) known[name] += row[name];
  if (about === "one result") {
    known.forgottenTokens = Math.max(known.forgottenTokens, row.forgottenTokens);
    addLines(known, row.lines);
    if (row.results > 0) tellOf(known, row.whole, row.reference);
    return;
  }
  for (const name of SUMMED_OF_SEVERAL) known[name] += row[name];
}

const SUMMED = ["requests", "saved", "carriedReads", "reads", "readTokens"] as const;
const SUMMED_OF_SEVERAL = ["results", "whole", "reference", "forgottenTokens"] as const;

function addUsage(one: UsageSums, other: UsageSums): UsageSums {
  const sum = { ...one };
  for (const name of Object.keys(NO_USAGE) as (keyof UsageSums)[]) sum[name] += other[name];
  return sum;
}
