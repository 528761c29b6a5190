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
  /** What the offloaded results would have taken; nothing in a request that was only made to read. */
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
export interface CarriedRequest {
  readonly results: readonly CarriedResult[];
  readonly reads: readonly CarriedRead[];
  readonly fixed: number;
  /** Whether it only goes on from calls of the reading tools: without offloading, nobody would make it. */
  readonly isForReading: boolean;
}

/** The same in tokens. */
export function flowOf({ results, reads, fixed, isForReading }: CarriedRequest): TokenFlow {
  const sum = <T>(items: readonly T[], tokens: (item: T) => number) =>
    items.reduce((all, item) => all + tokens(item), 0);
  return {
    whole: isForReading ? 0 : sum(results, (result) => result.tokens),
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
  /** Whether what the ledger belongs to was removed since this was first asked. */
  readonly isRemoved?: (() => boolean) | undefined;
  readonly clock: Pick<Clock, "now">;
  readonly defer: Defer;
  readonly hash: Hash;
  /** A name of a tool as it may be written. */
  readonly nameOf: (name: string) => string;
}

/** Sums of one session that are not written yet. */
class OpenEntry {
  readonly from: string;
  readonly days: Record<string, DaySum> = {};
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

/** Of so many sessions the last request is remembered. */
const MAX_LAST = 100;

/** Notes what offloading brings, and writes it now and then; a failure to write harms nobody. */
export class Ledger {
  readonly #wiring: LedgerWiring;
  #open = new Map<string, OpenEntry>();
  readonly #last = new Map<string, CarriedRequest>();
  #isWaiting = false;
  #writing: Promise<void> = Promise.resolve();
  /** The write that has not begun. */
  #next: Promise<void> | undefined;
  /** What a store refused is tried again under the same id, so that it is not counted twice if it was stored. */
  readonly #unwritten: SealedEntry[] = [];
  #count = 0;
  #isOpen = false;

  constructor(wiring: LedgerWiring) {
    this.#wiring = wiring;
  }

  /** A request that was seen. */
  request(sessionId: string, request: CarriedRequest): TokenFlow {
    const { results, reads, isForReading } = request;
    const flow = flowOf(request);
    const { entry, now } = this.#entryOf(sessionId);
    setLru(this.#last, sessionId, request, MAX_LAST);
    for (const { artifactId, toolName, tokens, referenceTokens } of results) {
      const row = entry.row(artifactId, now);
      row.toolName = this.#nameOf(toolName) ?? row.toolName;
      tellOf(row, tokens, referenceTokens);
      row.requests++;
      row.saved += (isForReading ? 0 : tokens) - referenceTokens;
    }
    for (const { artifactId, tokens, sentTokens } of reads) {
      if (artifactId === undefined) continue;
      const row = entry.row(artifactId, now);
      row.carriedReads += sentTokens;
      row.forgottenTokens = Math.max(row.forgottenTokens, tokens - sentTokens);
    }
    entry.fixedTokens = flow.fixed;
    const day = now.slice(0, DAY_CHARS);
    entry.days[day] = addSums(entry.days[day] ?? NO_DAY, { ...flow, requests: 1 });
    return flow;
  }

  /** The last request again, with so many more tokens of reading in it. */
  repeat(sessionId: string, readTokens: number): TokenFlow | undefined {
    const last = this.#last.get(sessionId);
    if (!last) return undefined;
    const more = { artifactId: undefined, tokens: readTokens, sentTokens: readTokens };
    return this.request(sessionId, { ...last, reads: [...last.reads, more], isForReading: true });
  }

  /**
   * A result that was offloaded when it arrived; which requests carry it is not known. Returns what each further
   * request carries, unless the session's requests are seen.
   */
  arrival(sessionId: string, result: CarriedResult, fixedTokens: number): TokenFlow | undefined {
    const { entry, now } = this.#entryOf(sessionId);
    const row = entry.row(result.artifactId, now);
    row.toolName = this.#nameOf(result.toolName);
    tellOf(row, result.tokens, result.referenceTokens);
    entry.fixedTokens = fixedTokens;
    const carried = { results: [result], reads: [], fixed: fixedTokens, isForReading: false };
    return this.#unseen(sessionId, flowOf(carried));
  }

  /** A large result that was kept. */
  keptLarge(sessionId: string, reason: string): void {
    const { entry } = this.#entryOf(sessionId);
    entry.keptLarge[reason] = (entry.keptLarge[reason] ?? 0) + 1;
  }

  /** An answer of a reading tool; without an id, it was a search or a listing over all results. Returns as `arrival`. */
  read(
    sessionId: string,
    artifactId: string | undefined,
    tokens: number,
    lines: readonly LineRange[] = [],
  ): TokenFlow | undefined {
    const { entry, now } = this.#entryOf(sessionId);
    const row = entry.row(artifactId ?? ALL_RESULTS, now);
    row.reads++;
    row.readTokens += tokens;
    if (artifactId !== undefined) addLines(row, lines);
    return this.#unseen(sessionId, { ...NO_FLOW, reads: tokens });
  }

  /** Of a session whose requests are seen, these tell it. */
  #unseen(sessionId: string, flow: TokenFlow): TokenFlow | undefined {
    return this.#last.has(sessionId) ? undefined : flow;
  }

  /** What a provider said of one request. */
  usage(sessionId: string, used: ProviderUsage): void {
    const { entry } = this.#entryOf(sessionId);
    const told = Object.entries(used).filter(([, tokens]) => tokens !== undefined);
    const sums = { ...NO_USAGE, ...Object.fromEntries(told), requests: 1 };
    entry.usage = addSums(entry.usage ?? NO_USAGE, sums);
  }

  /** Writes what is not written yet. Never throws. */
  flush(): Promise<void> {
    // What is noted while a store hangs is gathered, however often this is called meanwhile.
    this.#next ??= this.#writing = this.#writing.then(async () => {
      this.#next = undefined;
      const open = this.#open;
      this.#open = new Map();
      for (const [sessionId, entry] of open) this.#unwritten.push(this.#seal(sessionId, entry));
      if (this.#wiring.isRemoved?.()) this.#unwritten.length = 0;
      await this.#write(this.#unwritten.splice(0));
    });
    return this.#next;
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
    const isPurged = (id: string): boolean => sessionId === undefined || id === sessionId;
    for (const forgotten of [this.#open, this.#last]) {
      for (const id of [...forgotten.keys()].filter(isPurged)) forgotten.delete(id);
    }
    await this.#writing;
    const kept = this.#unwritten.filter((one) => !isPurged(one.sessionId));
    this.#unwritten.splice(0, this.#unwritten.length, ...kept);
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
      this.#wiring.isRemoved?.();
      this.#wiring.defer(() => {
        this.#isWaiting = false;
        void this.flush();
      }, DEFAULTS.ledgerDelayMs);
    }
    return { entry, now };
  }

  #nameOf(toolName: string | undefined): string | null {
    return toolName === undefined ? null : this.#wiring.nameOf(toolName).slice(0, MAX_NAME_CHARS);
  }

  #seal(
    sessionId: string,
    { from, days, fixedTokens, usage, keptLarge, rows }: OpenEntry,
  ): SealedEntry {
    const { clock, hash } = this.#wiring;
    const to = new Date(clock.now()).toISOString();
    const told = { from, to, days, fixedTokens, usage, keptLarge };
    const entry = sumEntries([{ version: 1, ...told, rows: [...rows.values()], others: [] }]);
    // Two entries may say the same.
    const unique = `${JSON.stringify(entry)} ${Math.random()} ${(this.#count += 1)}`;
    return { sessionId, id: `${clock.now()}-${hash(unique).slice(0, ID_DIGITS)}`, entry };
  }

  async #write(sealed: readonly SealedEntry[]): Promise<void> {
    for (const one of sealed) {
      try {
        await this.#put(one);
      } catch {
        this.#unwritten.push(one);
        continue;
      }
      await this.#fold(one.sessionId).catch(() => undefined);
    }
    this.#unwritten.splice(0, this.#unwritten.length - MAX_UNWRITTEN);
  }

  /**
   * Replaces the oldest entries by their sum once there are many. Sums are numbered, and a number is given only
   * once: of two processes that sum up at once, the second gets another id from the store and takes its sum back.
   * What could not be removed does not count beside the sum that names it.
   */
  async #fold(sessionId: string): Promise<void> {
    const store = this.#store();
    const { artifacts } = await store.listSession(sessionId);
    if (artifacts.size < 2 * DEFAULTS.ledgerEntries) return;
    const { entries, isWhole } = await readEntries(store, sessionId);
    if (!isWhole) return;
    const last = latestSum(artifacts.keys());
    if (entries.length < 2 * DEFAULTS.ledgerEntries) {
      const sum = entries.find(({ record }) => record.artifactId === `${SUM}${last}`);
      await this.#removeSummedUp(sum, artifacts);
      return;
    }
    const oldest = entries
      .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
      .slice(0, DEFAULTS.ledgerEntries);
    const replaces = oldest.flatMap(({ record, entry }) => [
      record.artifactId,
      ...(entry.replaces ?? []).filter((id) => artifacts.has(id)),
    ]);
    const entry = { ...sumEntries(oldest.map((one) => one.entry)), replaces };
    const id = `${SUM}${last + 1}`;
    const record = await this.#put({ sessionId, id, entry });
    const now = (await store.listSession(sessionId)).artifacts;
    if (record.artifactId === id && latestSum(now.keys()) === last + 1) {
      await this.#removeSummedUp({ record, entry }, now);
    } else await store.remove(record);
  }

  async #removeSummedUp(
    sum: ReadEntry | undefined,
    artifacts: ReadonlyMap<string, ArtifactRecord>,
  ): Promise<void> {
    const replaced = new Set(sum?.entry.replaces);
    for (const record of [...artifacts.values()]) {
      const { artifactId } = record;
      const isOtherSum = artifactId.startsWith(SUM) && artifactId !== sum?.record.artifactId;
      if (isOtherSum || replaced.has(artifactId)) await this.#store().remove(record);
    }
  }

  async #put({ sessionId, id, entry }: SealedEntry): Promise<ArtifactRecord> {
    const { hash } = this.#wiring;
    const text = JSON.stringify(entry);
    const bytes = encodeWtf8(text);
    return this.#store().put({
      sessionId,
      wantedId: id,
      type: "JSON",
      content: bytes,
      hash: () => hash(text),
      size: () => ({ bytes: bytes.length, chars: text.length, lines: 1, tokens: 0 }),
      createdAt: entry.to,
      metadata: { ...NO_METADATA, context_type: "ledger" },
    });
  }
}

/** An entry that will not change, and the id that it is to have. */
interface SealedEntry {
  readonly sessionId: string;
  readonly id: string;
  readonly entry: LedgerEntry;
}

/** No tool that is real has a longer name. */
const MAX_NAME_CHARS = 200;

/** So many entries wait for a store that refuses them; the oldest are given up. */
const MAX_UNWRITTEN = 100;

/** What ids of sums begin with; their number follows. */
const SUM = "sum-";

/** The number of the last sum; 0 if there is none. */
function latestSum(ids: Iterable<string>): number {
  const numbers = [...ids].map((id) => Number(/^sum-(\d{1,9})$/.exec(id)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

export const NO_FLOW: TokenFlow = { whole: 0, references: 0, reads: 0, fixed: 0 };
const NO_DAY: DaySum = { requests: 0, ...NO_FLOW };
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

/** How often entries are read again that another process summed up meanwhile. */
const MAX_READS = 3;

/** The entries of a session that count; what cannot be read is left out, and then they are not whole. */
async function readEntries(
  store: ArtifactStore,
  sessionId: string,
): Promise<{ readonly entries: ReadEntry[]; readonly isWhole: boolean }> {
  for (let attempt = 1; ; attempt++) {
    const { artifacts } = await store.listSession(sessionId);
    const sum = `${SUM}${latestSum(artifacts.keys())}`;
    const entries: ReadEntry[] = [];
    const errors: unknown[] = [];
    for (const record of [...artifacts.values()]) {
      // Every sum has those before it in it; the others are of processes that were too late.
      if (record.artifactId.startsWith(SUM) && record.artifactId !== sum) continue;
      try {
        const entry = await readEntry(store, record);
        if (entry) entries.push({ record, entry });
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0 && attempt < MAX_READS) continue;
    const replaced = new Set(entries.flatMap(({ entry }) => entry.replaces ?? []));
    return {
      entries: entries.filter(({ record }) => !replaced.has(record.artifactId)),
      // What is listed and cannot be read in any attempt is lost.
      isWhole: errors.every((error) => LOST.has((error as { code?: unknown }).code)),
    };
  }
}

const LOST: ReadonlySet<unknown> = new Set(["ARTIFACT_GONE", "ARTIFACT_DAMAGED"]);

async function readEntry(
  store: ArtifactStore,
  record: ArtifactRecord,
): Promise<LedgerEntry | undefined> {
  const content = await store.open(record);
  try {
    const entry = parseJson(decodeWtf8(await content.read(0, content.size)));
    return isEntry(entry) ? entry : undefined;
  } finally {
    await content.close();
  }
}

/** Whether it is what a ledger wrote: files can be damaged, and newer versions may write others. */
function isEntry(value: unknown): value is LedgerEntry {
  if (!isObject(value) || value["version"] !== 1) return false;
  const { from, to, days, fixedTokens, rows, others, usage, keptLarge, replaces = [] } = value;
  return (
    typeof from === "string" &&
    typeof to === "string" &&
    isCount(fixedTokens) &&
    isObject(days) &&
    Object.values(days).every((day) => hasCounts(day, NO_DAY)) &&
    isObject(keptLarge) &&
    Object.values(keptLarge).every(isCount) &&
    (usage === undefined || hasCounts(usage, NO_USAGE)) &&
    [rows, others].every((all) => Array.isArray(all) && all.every(isRow)) &&
    Array.isArray(replaces)
  );
}

function isRow(value: unknown): boolean {
  if (!hasCounts(value, NO_ROW)) return false;
  const { artifactId, at, toolName, lines = [] } = value;
  return (
    typeof artifactId === "string" &&
    typeof at === "string" &&
    (toolName === null || typeof toolName === "string") &&
    Array.isArray(lines) &&
    lines.every((range) => Array.isArray(range) && range.length === 2 && range.every(isCount))
  );
}

/** Whether it has a number wherever the other one has. */
function hasCounts(value: unknown, like: object): value is Readonly<Record<string, unknown>> {
  if (!isObject(value)) return false;
  return Object.entries(like).every(([name, count]) => {
    return typeof count !== "number" || isCount(value[name]);
  });
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
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
    const { entries } = await readEntries(store, id);
    if (entries.length > 0) found.set(id, sumEntries(entries.map(({ entry }) => entry)));
  }
  return found;
}

/** One entry that says what all of them say. */
export function sumEntries(entries: readonly LedgerEntry[]): LedgerEntry {
  const days: Record<string, DaySum> = {};
  const keptLarge: Record<string, number> = {};
  const rows = new Map<string, Open<LedgerRow>>();
  const others = new Map<string, Open<LedgerRow>>();
  let usage: UsageSums | undefined;
  let fixedTokens = 0;
  const times = entries.flatMap(({ from, to }) => [from, to]).sort();
  const ordered = [...entries].sort((one, other) => (one.to < other.to ? -1 : 1));
  for (const entry of ordered) {
    fixedTokens = entry.fixedTokens || fixedTokens;
    for (const [day, sum] of Object.entries(entry.days)) {
      days[day] = addSums(days[day] ?? NO_DAY, sum);
    }
    for (const [reason, count] of Object.entries(entry.keptLarge)) {
      keptLarge[reason] = (keptLarge[reason] ?? 0) + count;
    }
    if (entry.usage) usage = addSums(usage ?? NO_USAGE, entry.usage);
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
  if (others.size > DEFAULTS.ledgerRows) {
    // So many names are made up; of the tools that saved the least, only the sum is told.
    const tools = [...others.values()].sort((one, other) => other.whole - one.whole);
    for (const row of tools.slice(DEFAULTS.ledgerRows - 1)) {
      others.delete(row.toolName ?? "");
      addRow(others, "", { ...row, toolName: null }, "of several");
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

/** Sums of the same names, added up. */
export function addSums<T extends Readonly<Record<keyof T, number>>>(one: T, other: T): T {
  const names = Object.keys(one) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as T;
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
