import {
  addSums,
  ALL_RESULTS,
  NO_FLOW,
  type LedgerEntry,
  type LedgerRow,
  type TokenFlow,
  type UsageSums,
} from "./ledger.js";
import type { LineRange } from "./line-ranges.js";

/** Whether figures are sums over all requests, or what each further request carries less. They are never added up. */
export type Span = "all requests" | "each request";

/** The figures of a session, a day or a whole workspace, in tokens of input by our own estimate. */
export interface LedgerFigures extends TokenFlow {
  /** `whole − references − reads − fixed`: what offloading saved; below zero, it cost more than it saved. */
  readonly net: number;
  /** Results that were offloaded. */
  readonly results: number;
  /** Calls of the reading tools. */
  readonly readCalls: number;
}

/** How a result was read. */
export interface ResultFigures {
  readonly artifactId: string;
  readonly toolName: string | null;
  /** When it was first offloaded. */
  readonly at: string;
  readonly wholeTokens: number;
  readonly referenceTokens: number;
  readonly reads: number;
  readonly readTokens: number;
  /** `readTokens` as a share of `wholeTokens`; above 1 if more was read than there is. */
  readonly readShare: number;
  readonly isReadInFull: boolean;
  /** Which lines were read, where the reads were by lines; not all of them if they are very many. */
  readonly readLines: readonly LineRange[];
  /** Of what was read, the tokens that later requests no longer carry. */
  readonly forgottenTokens: number;
  /** What it saved over the requests that carried it, or saves in each further request, minus its reads. */
  readonly net: number;
  readonly over: Span;
}

/** What a tool's results brought, and whether it pays to offload them; once for each kind of sums. */
export interface ToolFigures {
  readonly toolName: string | null;
  readonly results: number;
  readonly wholeTokens: number;
  readonly referenceTokens: number;
  readonly reads: number;
  readonly readTokens: number;
  /** How many of the results were read back in full. */
  readonly readInFull: number;
  readonly net: number;
  readonly over: Span;
  /** `exclude`: keep its results. `too few`: fewer than three results tell nothing. */
  readonly verdict: "pays" | "exclude" | "too few";
}

type ToolSums = Omit<ToolFigures, "verdict">;

/** What offloading brought in one session. */
export interface SessionFigures extends LedgerFigures {
  readonly sessionId: string;
  readonly from: string;
  readonly to: string;
  /** How many requests were seen; 0 where only results were, as they arrived. */
  readonly requests: number;
  readonly over: Span;
  /** What a provider said that its requests took; not an estimate, and not part of the other figures. */
  readonly usage: UsageSums | undefined;
  /** Large results that were kept, by reason. */
  readonly keptLarge: Readonly<Record<string, number>>;
  readonly tools: readonly ToolFigures[];
  /** The results told one by one, the largest ones if there are very many. */
  readonly artifacts: readonly ResultFigures[];
  readonly days: Readonly<Record<string, LedgerFigures & { readonly requests: number }>>;
}

/** What offloading brought in a workspace. */
export interface LedgerReport {
  readonly sessions: readonly SessionFigures[];
  /** Over the sessions whose requests were seen; of the others, only sums for each request are known. */
  readonly total: LedgerFigures & { readonly requests: number };
  readonly eachRequest: LedgerFigures;
  readonly tools: readonly ToolFigures[];
}

/** A result of which this share was read counts as read in full. */
const IN_FULL = 0.9;
const MIN_RESULTS = 3;
const MAX_IN_FULL = 0.5;

export function reportLedger(sums: ReadonlyMap<string, LedgerEntry>): LedgerReport {
  const sessions = [...sums].map(([sessionId, entry]) => reportSession(sessionId, entry));
  sessions.sort((one, other) => (one.to > other.to ? -1 : 1));
  const seen = sessions.filter(({ over }) => over === "all requests");
  const requests = seen.reduce((sum, session) => sum + session.requests, 0);
  return {
    sessions,
    total: { ...addFigures(seen), requests },
    eachRequest: addFigures(sessions.filter(({ over }) => over === "each request")),
    tools: addTools(sessions.flatMap(({ tools }) => tools)),
  };
}

function reportSession(sessionId: string, entry: LedgerEntry): SessionFigures {
  const { from, to, rows, others, usage, keptLarge, fixedTokens } = entry;
  const requests = Object.values(entry.days).reduce((sum, day) => sum + day.requests, 0);
  const over = requests > 0 ? "all requests" : "each request";
  const all = [...rows, ...others].map((row) => ({ ...row, readCalls: row.reads }));
  const days: Record<string, SessionFigures["days"][string]> = {};
  const flowOf = (of: readonly LedgerRow[], fixed: number): TokenFlow => ({
    whole: of.reduce((sum, { whole }) => sum + whole, 0),
    references: of.reduce((sum, { reference }) => sum + reference, 0),
    reads: of.reduce((sum, { readTokens }) => sum + readTokens, 0),
    fixed,
  });
  const dayNames = new Set([...Object.keys(entry.days), ...all.map(({ at }) => at.slice(0, 10))]);
  for (const day of [...dayNames].sort()) {
    const own = all.filter(({ at }) => at.startsWith(day));
    const told = entry.days[day];
    if (requests > 0 && !told && own.length === 0) continue;
    const flow = told ?? (requests > 0 ? NO_FLOW : flowOf(own, fixedTokens));
    days[day] = { ...figuresOf(flow, own), requests: told?.requests ?? 0 };
  }
  const flow = requests > 0 ? addFlows(Object.values(entry.days)) : flowOf(all, fixedTokens);
  return {
    ...{ sessionId, from, to, requests, over, usage, keptLarge, days },
    ...figuresOf(flow, all),
    tools: addTools(all.map((row) => toolOf(row, over))),
    artifacts: rows
      .filter(({ artifactId }) => artifactId !== ALL_RESULTS)
      .map((row) => resultOf(row, over)),
  };
}

function figuresOf(
  { whole, references, reads, fixed }: TokenFlow,
  of: readonly { readonly results: number; readonly readCalls: number }[],
): LedgerFigures {
  return {
    ...{ whole, references, reads, fixed, net: whole - references - reads - fixed },
    results: of.reduce((sum, { results }) => sum + results, 0),
    readCalls: of.reduce((sum, { readCalls }) => sum + readCalls, 0),
  };
}

function addFlows(flows: readonly TokenFlow[]): TokenFlow {
  return flows.reduce((sum, flow) => addSums(sum, flow), NO_FLOW);
}

function addFigures(all: readonly LedgerFigures[]): LedgerFigures {
  return figuresOf(addFlows(all), all);
}

/** What a result saved: over all requests, or for each. */
function netOf(row: LedgerRow, over: Span): number {
  return over === "all requests"
    ? row.saved - row.carriedReads
    : row.whole - row.reference - row.readTokens;
}

function isReadInFull({ whole, readTokens }: LedgerRow): boolean {
  return whole > 0 && readTokens >= whole * IN_FULL;
}

function resultOf(row: LedgerRow, over: Span): ResultFigures {
  const { artifactId, toolName, at, whole, reference, reads, readTokens, forgottenTokens } = row;
  return {
    ...{ artifactId, toolName, at, wholeTokens: whole, referenceTokens: reference },
    ...{ reads, readTokens, forgottenTokens, net: netOf(row, over), over },
    readShare: whole === 0 ? 0 : readTokens / whole,
    isReadInFull: isReadInFull(row),
    readLines: row.lines ?? [],
  };
}

function toolOf(row: LedgerRow, over: Span): ToolSums {
  const { toolName, results, whole, reference, reads, readTokens } = row;
  return {
    ...{ toolName, results, wholeTokens: whole, referenceTokens: reference, reads, readTokens },
    readInFull: row.artifactId !== ALL_RESULTS && isReadInFull(row) ? 1 : 0,
    ...{ net: netOf(row, over), over },
  };
}

/** The sums of each tool, those that cost the most first. Reads that were of no one result belong to none. */
function addTools(rows: readonly ToolSums[]): ToolFigures[] {
  const tools = new Map<string, ToolSums>();
  for (const row of rows) {
    const key = JSON.stringify([row.toolName, row.over]);
    const known = tools.get(key);
    if (!known && row.results === 0) continue;
    tools.set(key, known ? { ...known, ...addSums(countsOf(known), countsOf(row)) } : row);
  }
  return [...tools.values()]
    .map((tool) => ({ ...tool, verdict: verdictOf(tool) }))
    .sort((one, other) => one.net - other.net);
}

function countsOf(tool: ToolSums) {
  const { results, wholeTokens, referenceTokens, reads, readTokens, readInFull, net } = tool;
  return { results, wholeTokens, referenceTokens, reads, readTokens, readInFull, net };
}

function verdictOf({ results, readInFull, net }: ToolSums): ToolFigures["verdict"] {
  if (results < MIN_RESULTS) return "too few";
  return net < 0 || readInFull > results * MAX_IN_FULL ? "exclude" : "pays";
}
