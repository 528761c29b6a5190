import { DEFAULTS } from "../../defaults.js";
import { InvalidPatternError, SearchTimeoutError } from "../../errors/reading-errors.js";
import { countOf } from "../../lib/digest/printable.js";
import { rereadPattern } from "../../lib/search/compile-pattern.js";
import type {
  ContextLine,
  MatchWindow,
  SearchMatch,
  SearchOutcome,
  SearchQuery,
  SearchSource,
} from "../../lib/search/search-terms.js";
import { takeStart, quote } from "../../lib/text/quote.js";
import { requireRange } from "../../lib/text/text-range.js";
import type { Clock } from "../events.js";
import type { OpenTarget } from "./read-knowledge.js";
import type { NextCall, ArtifactCount, ReadOptions, Reading } from "./reading.js";

/** Matches as text, and what did not fit. */
export interface RenderedMatches {
  readonly text: string;
  /** How many matches `text` shows: lines, or windows on long lines. */
  readonly shown: number;
  /** How many are left; those beyond the limits of the search count as one per line. */
  readonly left: number;
  /** Where to continue: the line and, inside of a long line, the character. */
  readonly nextLine: number;
  readonly nextChar: number | undefined;
  /** Whether context lines were left out for lack of room. */
  readonly isNarrowed: boolean;
}

/** Renders matches as `grep -n` prints them, as many as fit. */
export function renderMatches(
  { matches, matchingLines }: Pick<SearchOutcome, "matches" | "matchingLines">,
  query: SearchQuery,
  maxChars: number,
): RenderedMatches {
  const separator = query.contextBefore + query.contextAfter > 0 ? "\n--\n" : "\n";
  let text = "";
  let shown = 0;
  let lines = 0;
  const end = (nextLine: number, nextChar?: number, inLine = 0, isNarrowed = false) => ({
    ...{ text, shown, nextLine, nextChar, isNarrowed },
    left: matchingLines - lines + inLine,
  });
  for (const match of matches) {
    const { line, further = [], unshown = 0 } = match;
    const first = text + (shown === 0 ? "" : separator) + renderMatch(match, further.length > 0);
    if (first.length > maxChars) {
      if (shown > 0) return end(line);
      text = renderFitting(match, maxChars);
      shown = lines = 1;
      const rest = further.length + unshown;
      return rest > 0
        ? end(line, afterWindow(match), rest, true)
        : end(line + 1, undefined, 0, true);
    }
    text = first;
    shown += 1;
    lines += 1;
    let last: MatchWindow = match;
    for (const [index, window] of further.entries()) {
      const wider = `${text}\n${line}:${renderWindow(window, match.lineChars)}`;
      if (wider.length > maxChars) {
        return end(line, afterWindow(last), further.length - index + unshown);
      }
      text = wider;
      shown += 1;
      last = window;
    }
    if (further.length > 0 && match.after.length > 0) {
      text += match.after.map((after) => `\n${renderContext(after)}`).join("");
    }
    if (unshown > 0) return end(line, afterWindow(last), unshown);
  }
  return end((matches.at(-1)?.line ?? 0) + 1);
}

function afterWindow({ textColumn, text }: MatchWindow): number {
  return textColumn + text.length;
}

function renderMatch(match: SearchMatch, withoutAfter = false): string {
  return [
    ...match.before.map(renderContext),
    `${match.line}:${renderWindow(match, match.lineChars)}`,
    ...(withoutAfter ? [] : match.after.map(renderContext)),
  ].join("\n");
}

/** The matching line, with as many of the nearest context lines as fit. */
function renderFitting({ before, after, ...match }: SearchMatch, maxChars: number): string {
  let text = takeStart(renderMatch({ ...match, before: [], after: [] }), maxChars);
  for (let step = 1; step <= Math.max(before.length, after.length); step++) {
    const above = before.at(-step);
    const below = after[step - 1];
    const wider = [above && renderContext(above), text, below && renderContext(below)]
      .filter((part) => part !== undefined)
      .join("\n");
    if (wider.length > maxChars) break;
    text = wider;
  }
  return text;
}

/** A window says where in the line it is, so that the rest can be read by character range. */
function renderWindow({ text, textColumn }: MatchWindow, lineChars: number): string {
  if (text.length >= lineChars) return text;
  return `[chars ${textColumn}-${textColumn + text.length - 1} of ${lineChars}] ${text}`;
}

function renderContext({ line, text, lineChars }: ContextLine): string {
  return `${line}-${text}${text.length < lineChars ? ` [… ${lineChars} chars]` : ""}`;
}

/** What an answer without a match begins with. */
export const NO_MATCH = "No match.";

/** A search as it was made in the end, and a remark if that is not as it was asked for. */
export interface MeantSearch<Outcome> {
  readonly asked: SearchQuery;
  readonly outcome: Outcome;
  readonly note: string | undefined;
}

/**
 * Searches for the pattern as it stands. Where that matches nothing or is not valid, and the pattern
 * has a meaning in the syntax of other tools, it is searched for as such.
 */
export async function searchAsMeant<Outcome extends Pick<SearchOutcome, "matchingLines">>(
  query: SearchQuery,
  remainingMs: () => number,
  search: (query: SearchQuery) => Promise<Outcome>,
): Promise<MeantSearch<Outcome>> {
  const reread = rereadPattern(query);
  const first = await search(query).catch((error: unknown) => {
    if (reread && error instanceof InvalidPatternError) return error;
    throw error;
  });
  const isInvalid = first instanceof InvalidPatternError;
  if (reread && (isInvalid || (first.matchingLines === 0 && remainingMs() > 0))) {
    const asked = { ...query, ...reread };
    const outcome = await search(asked).catch((error: unknown) => {
      if (error instanceof InvalidPatternError) return undefined;
      throw error;
    });
    if (outcome && (isInvalid || outcome.matchingLines > 0)) {
      const inAnyCase = asked.ignoreCase && !query.ignoreCase ? ", ignoring case" : "";
      return { asked, outcome, note: `Searched for ${quote(asked.pattern)}${inAnyCase}.` };
    }
  }
  if (isInvalid) throw first;
  return { asked: query, outcome: first, note: undefined };
}

/** A wider search that matches where the one that was asked for does not. */
export interface NearMatches {
  readonly query: SearchQuery;
  readonly note: string;
}

/** Tries wider searches, for as long as there is time; the first that matches is reported with its count. */
export async function findNear(
  query: SearchQuery,
  remainingMs: () => number,
  count: (query: SearchQuery, deadlineMs: number) => Promise<number>,
): Promise<NearMatches | undefined> {
  for (const [how, changes] of widenings(query)) {
    const deadlineMs = remainingMs();
    if (deadlineMs <= 0) return undefined;
    const wider = { ...query, ...changes };
    const found = await count(wider, deadlineMs).catch((error: unknown) => {
      if (error instanceof InvalidPatternError || error instanceof SearchTimeoutError) return 0;
      throw error;
    });
    if (found > 0) return { query: wider, note: `${NO_MATCH} ${found} ${how}.` };
  }
  return undefined;
}

function widenings(query: SearchQuery): [how: string, changes: Partial<SearchQuery>][] {
  const { literal, ignoreCase, fromLine = 1, fromChar = 1 } = query;
  const isSpecial = !literal && /[\\^$.*+?()[\]{}|]/.test(query.pattern);
  const all: [string, Partial<SearchQuery>][] = [];
  if (!ignoreCase) all.push(["ignoring case", { ignoreCase: true }]);
  if (isSpecial) all.push(["as plain text", { literal: true }]);
  if (isSpecial && !ignoreCase) {
    all.push(["as plain text, ignoring case", { literal: true, ignoreCase: true }]);
  }
  if (fromLine > 1 || fromChar > 1) all.push(["before that line", { fromLine: 1, fromChar: 1 }]);
  return all;
}

/** The parameters of a call that makes this search. */
export function callInput(query: SearchQuery): NextCall["input"] {
  return {
    pattern: query.pattern,
    ...(query.literal ? { literal: true } : {}),
    ...(query.ignoreCase ? { ignore_case: true } : {}),
    ...(query.contextBefore > 0 ? { context_before: query.contextBefore } : {}),
    ...(query.contextAfter > 0 ? { context_after: query.contextAfter } : {}),
    ...(query.maxResults === DEFAULTS.searchResults ? {} : { max_results: query.maxResults }),
  };
}

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
