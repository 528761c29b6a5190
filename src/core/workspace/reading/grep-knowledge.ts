import { DEFAULTS } from "../../defaults.js";
import { InvalidPatternError, SearchTimeoutError } from "../../errors/search-errors.js";
import { countOf } from "../../lib/digest/printable.js";
import type { SearchOutcome, SearchQuery, SearchSource } from "../../lib/search/search-terms.js";
import { quote } from "../../lib/text/quote.js";
import { requireRange } from "../../lib/text/text-range.js";
import type { Clock } from "../events.js";
import { findNear, NO_MATCH, searchAsMeant, callInput } from "./near-matches.js";
import type { OpenTarget } from "./read-knowledge.js";
import type { ArtifactCount, NextCall, ReadOptions, Reading } from "./reading.js";
import { renderMatches } from "./render-matches.js";

/** Searches a text off the main thread. When searches have to wait, groups take turns. */
export type SearchText = (
  source: SearchSource,
  query: SearchQuery,
  options: {
    readonly deadlineMs: number;
    readonly signal?: AbortSignal;
    readonly group?: string;
  },
) => Promise<SearchOutcome>;

/** Options of `grepKnowledge`. */
export interface GrepOptions extends ReadOptions {
  /** Match case-insensitively. Default false. */
  readonly ignoreCase?: boolean | undefined;
  /** Lines to show before each match. Default 0. */
  readonly contextBefore?: number | undefined;
  /** Lines to show after each match. Default 0. */
  readonly contextAfter?: number | undefined;
  /** Maximum number of matches. Default 50. */
  readonly maxResults?: number | undefined;
  /** Treat the pattern as plain text rather than as a regular expression. Default false. */
  readonly literal?: boolean | undefined;
  /** The line to search from, to continue after an earlier answer. Default 1. */
  readonly startLine?: number | undefined;
  /** The character of that line to search from, to continue on a long line. Default 1. */
  readonly startChar?: number | undefined;
  /** Only count the matches. Default false. */
  readonly count?: boolean | undefined;
  /** The search is stopped after this many milliseconds. Default 2,000. */
  readonly deadlineMs?: number | undefined;
}

export interface GrepRequest {
  readonly query: SearchQuery;
  /** Only the number of matches. */
  readonly count: boolean;
  readonly deadlineMs: number;
}

export interface GrepTools {
  readonly searchText: SearchText;
  readonly clock: Clock;
  /** Counts the matches in what else the session holds, newest first. */
  readonly countElsewhere: (
    query: SearchQuery,
    deadlineMs: number,
  ) => Promise<readonly ArtifactCount[]>;
}

const SHOWN_ELSEWHERE = 5;

/** The matching lines, as `grep -n` prints them; where none match, what a wider search would find. */
export async function grepText(
  target: OpenTarget,
  request: GrepRequest,
  { searchText, clock, countElsewhere }: GrepTools,
): Promise<Reading> {
  const { query } = request;
  const endsAt = clock.now() + request.deadlineMs;
  const remainingMs = (): number => endsAt - clock.now();
  let isChecked = false;
  const search = async (asked: SearchQuery, deadlineMs = Math.max(1, remainingMs())) => {
    // What was found intact need not be looked at again.
    const find = isChecked ? searchTarget : searchIntact;
    const outcome = await find(target, asked, deadlineMs, searchText);
    isChecked = true;
    return outcome;
  };

  const { asked, outcome, note } = await searchAsMeant(query, remainingMs, search);
  const { scannedLines, stoppedBy } = outcome;
  if (stoppedBy === "deadline") {
    if (outcome.matches.length === 0)
      throw new SearchTimeoutError(query.pattern, request.deadlineMs, scannedLines);
  } else if (asked.fromLine !== undefined && asked.fromLine > 1) {
    // The number of lines is known only now: indexing them first would cost more than the search.
    const range = { start: asked.fromLine, end: asked.fromLine, count: scannedLines };
    requireRange({ ...range, names: ["startLine"], unit: "line", owner: "the text" });
  }
  if (outcome.matches.length > 0)
    return answer(target, { ...request, query: asked }, outcome, note);

  const { artifactId } = target.record;
  const callFor = (id: string, made: SearchQuery): NextCall => ({
    tool: "grep_knowledge",
    input: { artifact_id: id, ...callInput(made), ...viewInput(target) },
  });
  const near = await findNear(query, remainingMs, async (wider, deadlineMs) => {
    const found = await search(wider, deadlineMs);
    return found.matchingLines;
  });
  if (near) return nothing(target, near.note, callFor(artifactId, near.query));
  const elsewhere = remainingMs() > 0 ? await countElsewhere(query, remainingMs()) : [];
  const [first] = elsewhere;
  if (!first) return nothing(target, note === undefined ? NO_MATCH : `${note} ${NO_MATCH}`);
  const counts = elsewhere
    .slice(0, SHOWN_ELSEWHERE)
    .map((other) => `${other.matches} in ${quote(other.artifactId)}`);
  return nothing(target, `${NO_MATCH} But ${counts.join(", ")}.`, callFor(first.artifactId, query));
}

/** Searches one text and compares it with its hash, in parallel, since the search runs in another thread. */
export async function searchIntact(
  target: OpenTarget,
  query: SearchQuery,
  deadlineMs: number,
  searchText: SearchText,
): Promise<SearchOutcome> {
  const checking = new AbortController();
  const checked = target.text.check(checking.signal).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const outcome = await searchTarget(target, query, deadlineMs, searchText).catch(
    (error: unknown) => {
      checking.abort();
      throw error;
    },
  );
  if (outcome.stoppedBy === "deadline") {
    checking.abort();
    return outcome;
  }
  const damage = await checked;
  if (damage) throw damage.error;
  return outcome;
}

/** Searches one text; what is collected is bounded by what could be shown. */
async function searchTarget(
  { signal, record, text, maxChars }: OpenTarget,
  query: SearchQuery,
  deadlineMs: number,
  searchText: SearchText,
): Promise<SearchOutcome> {
  const { pattern, contextBefore, contextAfter } = query;
  const most = DEFAULTS.patternChars;
  if (pattern.length > most) {
    const reason = `it has ${pattern.length} characters, and the limit is ${most}`;
    throw new InvalidPatternError(pattern, reason);
  }
  // More could never be shown: each context line takes at least three characters of the answer.
  const mostLines = Math.ceil(maxChars / 3);
  const bounded = {
    ...query,
    maxChars,
    contextBefore: Math.min(contextBefore, mostLines),
    contextAfter: Math.min(contextAfter, mostLines),
  };
  return searchText(text.source, bounded, {
    deadlineMs,
    group: record.sessionId,
    ...(signal ? { signal } : {}),
  });
}

function answer(
  target: OpenTarget,
  { query, count, deadlineMs }: GrepRequest,
  outcome: SearchOutcome,
  searchedAs: string | undefined,
): Reading {
  const rendered = renderMatches(outcome, query, target.maxChars);
  const { artifactId } = target.record;
  const notes = searchedAs === undefined ? [] : [searchedAs];
  const { shown, left, nextChar } = rendered;
  const total = shown + left;
  const stopped = outcome.stoppedBy === "deadline";
  if (stopped) {
    const passed = countOf(outcome.scannedLines, "line");
    notes.push(`The search was stopped after ${deadlineMs} ms, ${passed} in.`);
  }
  const note = notes.length > 0 ? notes.join(" ") : undefined;
  if (count) {
    const text = `${artifactId}: ${total}`;
    return {
      ...nothing(target, note),
      text,
      range: { unit: "matches", from: 1, to: total, of: total },
    };
  }
  if (rendered.isNarrowed) notes.push("Only the lines next to the match fit into this answer.");
  const nextLine =
    left > 0 ? rendered.nextLine : Math.max(rendered.nextLine, outcome.scannedLines + 1);
  const place = {
    start_line: nextLine,
    ...(nextChar === undefined ? {} : { start_char: nextChar }),
  };
  const input = { artifact_id: artifactId, ...callInput(query), ...place, ...viewInput(target) };
  return {
    ...nothing(target, notes.length > 0 ? notes.join(" ") : undefined),
    text: rendered.text,
    range: { unit: "matches", from: 1, to: shown, of: total },
    leftOut: left > 0 ? { unit: "matches", count: left } : undefined,
    next: left > 0 || stopped ? { tool: "grep_knowledge", input } : undefined,
  };
}

function nothing({ record, view }: OpenTarget, note: string | undefined, next?: NextCall): Reading {
  return {
    artifactId: record.artifactId,
    sessionId: record.sessionId,
    view,
    text: "",
    range: { unit: "matches", from: 0, to: 0, of: 0 },
    leftOut: undefined,
    next,
    note,
  };
}

function viewInput({ view }: OpenTarget): NextCall["input"] {
  return view === "raw" ? { view } : {};
}
