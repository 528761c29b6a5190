import { DEFAULTS } from "../../defaults.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { ContextOffloadError } from "../../errors/context-offload-error.js";
import { InvalidPatternError, SearchTimeoutError } from "../../errors/reading-errors.js";
import { countOf } from "../../lib/text/printable.js";
import { JsonPointerError, locatePath, parsePointer } from "../../lib/json/json-pointer.js";
import { alternativesOf, rereadPattern } from "../../lib/search/compile-pattern.js";
import { renderMatches, type RenderedMatches } from "../../lib/search/render-matches.js";
import type {
  ContextLine,
  SearchOutcome,
  SearchQuery,
  SearchSource,
} from "../../lib/search/search-terms.js";
import { LINE_FEED, takeStart } from "../../lib/text/code-units.js";
import { quote } from "../../lib/text/quote.js";
import { blockLines, isDiff, isNaming, namingLine } from "../../lib/text/text-blocks.js";
import { collectPieces, readPieces } from "../../lib/text/byte-source.js";
import { seekLineEnd } from "../../lib/text/read-text.js";
import { scanBytes } from "../../lib/text/text-index.js";
import { requireRange } from "../../lib/text/text-range.js";
import { decodeWtf8 } from "../../lib/text/wtf8.js";
import type { ArtifactStore } from "../artifacts/artifact-store.js";
import { HIDDEN_CONTEXT, type ArtifactRecord } from "../artifacts/artifact.js";
import { visibleSessions } from "../artifacts/find-artifact.js";
import { byTime, queryArtifacts } from "../artifacts/list-artifacts.js";
import type { Clock } from "../events.js";
import { describeRecords, type RecordLine } from "./grep-records.js";
import type { OpenTarget } from "./open-text.js";
import type { NextCall, ArtifactCount, ReadOptions, Reading } from "./reading.js";

/** What an answer without a match begins with. */
export const NO_MATCH = "No match.";

/** A search as it was made in the end, and a remark if that is not as it was asked for. */
export interface MeantSearch<Outcome> {
  readonly asked: SearchQuery;
  readonly outcome: Outcome;
  readonly note: string | undefined;
}

/**
 * Searches for the pattern as given. Where that matches nothing or is not valid, and the pattern
 * has a meaning in the syntax of other tools or stands in the text as it is, it is searched for as such.
 */
export async function searchAsMeant<Outcome extends Pick<SearchOutcome, "matchingLines">>(
  query: SearchQuery,
  remainingMs: () => number,
  search: (query: SearchQuery) => Promise<Outcome>,
): Promise<MeantSearch<Outcome>> {
  const attempt = (asked: SearchQuery): Promise<Outcome | InvalidPatternError> =>
    search(asked).catch((error: unknown) => {
      if (error instanceof InvalidPatternError) return error;
      throw error;
    });
  const first = await attempt(query);
  const isInvalid = first instanceof InvalidPatternError;
  const reread = rereadPattern(query);
  if (reread && (isInvalid || first.matchingLines === 0) && remainingMs() > 0) {
    const { isBehind, ...meant } = reread;
    const asked = { ...query, ...meant };
    const outcome = await attempt(asked);
    const isFound = !(outcome instanceof InvalidPatternError) && outcome.matchingLines > 0;
    if (isFound || (isInvalid && !(outcome instanceof InvalidPatternError))) {
      const inAnyCase = asked.ignoreCase && !query.ignoreCase ? ", ignoring case" : "";
      const what = isBehind
        ? "^ behind the number or time at the start of each line"
        : quote(asked.pattern);
      return { asked, outcome, note: `Searched for ${what}${inAnyCase}.` };
    }
  }
  if (!isInvalid) return { asked: query, outcome: first, note: undefined };
  const asked = { ...query, literal: true };
  const outcome = query.literal || remainingMs() <= 0 ? first : await attempt(asked);
  if (outcome instanceof InvalidPatternError || outcome.matchingLines === 0) throw first;
  return { asked, outcome, note: `Searched for ${quote(asked.pattern)} as plain text.` };
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

/** Searches a text off the main thread. When searches have to wait, sessions take turns. */
export type SearchText = (
  source: SearchSource,
  query: SearchQuery,
  options: {
    readonly deadlineMs: number;
    readonly signal?: AbortSignal;
    readonly session?: string;
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
  /** The last line to search. Default: the last one. */
  readonly endLine?: number | undefined;
  /** Only inside of this value of JSON, by its pointer. Default: the whole text. */
  readonly pointer?: string | undefined;
  /** Only count the matches. Default false. */
  readonly count?: boolean | undefined;
  /** Leave out the time at the start of each line, and say so, where all lines begin with one. Default false. */
  readonly withoutTimes?: boolean | undefined;
  /**
   * Unless `contextBefore` or `contextAfter` is given, show the function or the section that one of few matches
   * begins. Default false.
   */
  readonly around?: boolean | undefined;
  /** The search is stopped after this many milliseconds. Default 2,000. */
  readonly deadlineMs?: number | undefined;
}

export interface GrepRequest {
  readonly query: SearchQuery;
  /** True if neither a first line nor a number of matches was asked for. */
  readonly isOpen: boolean;
  /** Whether a time that begins every line is left out. */
  readonly withoutTimes: boolean;
  /** Only the number of matches. */
  readonly count: boolean;
  /** Whether few matches are shown with what is around them. */
  readonly around: boolean;
  /** The value that the search is limited to. */
  readonly pointer: string | undefined;
  /** The last line that is searched. */
  readonly endLine: number | undefined;
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
/** Of so many alternatives, each is counted. */
const MAX_COUNTED = 12;
/** So many lines for each record are looked for where there are more matches than the limit. */
const LINES_PER_RECORD = 10;

/** The matching lines, as `grep -n` prints them; where none match, what a wider search would find. */
export async function grepText(
  target: OpenTarget,
  request: GrepRequest,
  { searchText, clock, countElsewhere }: GrepTools,
): Promise<Reading> {
  const { query } = request;
  const endsAt = clock.elapsed() + request.deadlineMs;
  const remainingMs = (): number => endsAt - clock.elapsed();
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
  /** How many lines match each of several things that were looked for in one expression. */
  const countEach = async (asked: SearchQuery): Promise<string> => {
    const parts = asked.literal ? [] : alternativesOf(asked.pattern);
    if (parts.length < 2 || parts.length > MAX_COUNTED) return "";
    const counts: string[] = [];
    for (const pattern of parts) {
      const part = await search({ ...asked, pattern }).catch((error: unknown) => {
        // A part that refers to a group of another one is nothing on its own.
        if (error instanceof InvalidPatternError) return undefined;
        throw error;
      });
      if (part?.stoppedBy !== "deadline" && part)
        counts.push(`${part.matchingLines} ${quote(pattern)}`);
    }
    return counts.length < parts.length ? "" : `: ${counts.join(", ")}`;
  };
  const show = async (asked: SearchQuery, outcome: SearchOutcome, note: string | undefined) => {
    const found = { ...request, query: asked };
    if (request.count) {
      const told = answer(target, found, outcome, renderMatches(outcome, asked, 0), note);
      return { ...told, text: told.text + (await countEach(asked)) };
    }
    const isPlain = wantsNoLines(target, asked);
    const records = await findRecordLines(target, asked, outcome);
    if (records) {
      // Several lines of a record match; the limit is one of records.
      const isMore = request.isOpen && outcome.stoppedBy === "maxResults" && remainingMs() > 0;
      const wider = { ...asked, maxResults: asked.maxResults * LINES_PER_RECORD };
      const all = isMore ? await search(wider) : outcome;
      const lines = isMore ? ((await findRecordLines(target, asked, all)) ?? records) : records;
      const some = lines.slice(0, asked.maxResults);
      return answer(target, found, all, renderRecords(some, all, target.maxChars), note);
    }
    const toShow = await withFewMore(outcome, found, search);
    const render = request.withoutTimes ? renderWithoutTimes : renderMatches;
    const isWide = request.around && isPlain;
    const room = isWide ? AROUND_CHARS : 0;
    const isOpen = request.isOpen && request.endLine === undefined;
    const surrounded = await withSurroundings(target, toShow, room, isOpen);
    const around = surrounded.outcome;
    const hasLines = around.matches.some(({ before, after }) => before.length + after.length > 0);
    const drawn = isWide && hasLines ? { ...asked, contextAfter: 1 } : asked;
    const named = render(around, drawn, target.maxChars);
    // Where not all of the matches are shown, their names must not take the place of some.
    const whole = named.left > 0 ? render(toShow, asked, target.maxChars) : named;
    const ends =
      whole.left > 0 && request.isOpen && remainingMs() > 0
        ? await showEnds(toShow, asked, target.maxChars, search, render)
        : undefined;
    const notes = [note, whole === named ? surrounded.note : undefined].filter(Boolean).join(" ");
    return answer(target, found, toShow, ends ?? whole, notes === "" ? undefined : notes);
  };
  if (outcome.matches.length > 0) return show(asked, outcome, note);

  const { artifactId } = target.record;
  const callFor = (id: string, made: SearchQuery): NextCall => ({
    tool: "grep_knowledge",
    input: { artifact_id: id, ...callInput(made), ...viewInput(target) },
  });
  let found = outcome;
  const near = await findNear(query, remainingMs, async (wider, deadlineMs) => {
    // Before a value is not in it.
    if (request.pointer !== undefined && wider.fromLine !== query.fromLine) return 0;
    found = await search(wider, deadlineMs);
    return found.matchingLines;
  });
  // Whoever wrote the word in another case, or not as an expression, wants these.
  if (near && near.query.fromLine === query.fromLine) return show(near.query, found, near.note);
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
async function searchIntact(
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
  const maxLines = Math.ceil(maxChars / 3);
  const bounded = {
    ...query,
    maxChars,
    contextBefore: Math.min(contextBefore, maxLines),
    contextAfter: Math.min(contextAfter, maxLines),
  };
  return searchText(text.source, bounded, {
    deadlineMs,
    session: record.sessionId,
    ...(signal ? { signal } : {}),
  });
}

function answer(
  target: OpenTarget,
  { query, count, pointer, endLine, deadlineMs }: GrepRequest,
  outcome: SearchOutcome,
  rendered: RenderedMatches,
  searchedAs: string | undefined,
): Reading {
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
    const text = `${artifactId}: ${countOf(outcome.matchingLines, "matching line")}`;
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
    ...(endLine === undefined ? {} : { end_line: endLine }),
    ...(nextChar === undefined ? {} : { start_char: nextChar }),
  };
  const within = pointer === undefined ? {} : { pointer };
  const asked = { ...callInput(query), ...within, ...place };
  const input = { artifact_id: artifactId, ...asked, ...viewInput(target) };
  return {
    ...nothing(target, notes.length > 0 ? notes.join(" ") : undefined),
    text: rendered.text,
    range: { unit: "matches", from: 1, to: shown, of: total },
    leftOut: left > 0 ? { unit: "matches", count: left } : undefined,
    next: left > 0 || stopped ? { tool: "grep_knowledge", input } : undefined,
  };
}

/** Where a value of JSON is in its text. */
interface ValuePlace {
  readonly fromLine: number;
  readonly fromChar: number;
  /** The byte after its last. */
  readonly end: number;
}

export async function locateValue(
  { text: { source }, signal }: OpenTarget,
  pointer: string,
): Promise<ValuePlace> {
  const located = await locatePath(source, parsePointer(pointer), { signal });
  if (!located.found) throw new JsonPointerError(pointer, located);
  let fromLine = 1;
  let fromChar = 1;
  for await (const piece of readPieces(cutSource(source, located.start), signal)) {
    const { chars } = scanBytes(piece.subarray(piece.lastIndexOf(LINE_FEED) + 1));
    const before = scanBytes(piece).breaks;
    fromLine += before;
    fromChar = (before > 0 ? 1 : fromChar) + chars;
  }
  return { fromLine, fromChar, end: located.end };
}

/** The byte after a line; the last one of the text if it has fewer lines. */
export async function endOfLine({ text, signal }: OpenTarget, line: number): Promise<number> {
  return (await seekLineEnd(await text.withIndex(), line, signal)).byte;
}

/** A text up to a byte. */
export function cutSource(source: SearchSource, end: number): SearchSource {
  const read = (from: number, to: number) => source.read(from, Math.min(to, end));
  return { size: end, fd: source.fd, read };
}

/** Of longer texts the functions and sections are not named: they would have to be read whole. */
const NAMED_BYTES = 1_048_576;

/** Matches with what stands around them, and what of it did not fit. */
interface Surrounded {
  readonly outcome: SearchOutcome;
  readonly note: string | undefined;
}

/**
 * The matches with the lines that name the functions or sections they are in. What begins at one of few
 * matches is shown as far as there is room for it, since whoever looks for its name wants to read it.
 */
async function withSurroundings(
  { text: { source }, signal }: OpenTarget,
  outcome: SearchOutcome,
  room: number,
  isOpen: boolean,
): Promise<Surrounded> {
  if (source.size > NAMED_BYTES || outcome.matches.length === 0)
    return { outcome, note: undefined };
  const all = decodeWtf8(await collectPieces(readPieces(source, signal)));
  const lines = all.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  const quote = (from: number, to: number): ContextLine[] =>
    lines.slice(from, to).map((text, at) => ({
      ...{ line: from + at + 1, lineChars: text.length },
      text: takeStart(text, MAX_HEADING_CHARS),
    }));
  const { matchingLines } = outcome;
  const inDiff = isDiff(lines);
  const isBeginning = ({ line }: { readonly line: number }): boolean =>
    (matchingLines <= FEW_MATCHES && isNaming(lines, line - 1)) ||
    (matchingLines === 1 && OPENING.test(lines[line - 1] ?? ""));
  const beginning = room > 0 ? outcome.matches.find(isBeginning) : undefined;
  const isNear =
    isOpen && !beginning && matchingLines <= NEAR.matches && lines.length >= NEAR.lines;
  let note: string | undefined;
  const matches = outcome.matches.map((match) => {
    const { line } = match;
    const at = namingLine(lines, line - 1, inDiff);
    const [heading] = at === undefined ? [] : quote(at, at + 1);
    const isNamed = heading !== undefined && heading.text.length === heading.lineChars;
    const named = isNamed ? { ...match, heading } : match;
    if (match !== beginning) {
      if (room === 0) return named;
      const isFrame = FRAME.test(lines[line - 1] ?? "");
      const near = isNear ? NEAR : { before: 0, after: isFrame ? 1 : 0 };
      const before = quote(Math.max(0, line - 1 - near.before), line - 1);
      return { ...named, before, after: quote(line, line + near.after) };
    }
    const count = blockLines(lines.slice(line - 1, line - 1 + MAX_BLOCK_LINES));
    const below = quote(line, line - 1 + Math.min(count ?? MAX_SHOWN_LINES, MAX_SHOWN_LINES));
    let left = room;
    const end = below.findIndex(({ text }) => (left -= text.length + 1) < 0);
    const after = end === -1 ? below : below.slice(0, end);
    const last = line + after.length;
    const isWhole = count === undefined ? last >= lines.length : after.length >= count - 1;
    if (!isWhole) note = `What begins at line ${line} is shown up to line ${last}.`;
    return { ...named, after };
  });
  return { outcome: { ...outcome, matches }, note };
}

const MAX_HEADING_CHARS = 160;
/** How much is shown of what begins at a match. */
const AROUND_CHARS = 1_200;
const MAX_SHOWN_LINES = 40;
/** The end of a longer block is not looked for. */
const MAX_BLOCK_LINES = 5_000;
/** Of so few matches, so many lines before and after are shown: what a hit belongs to often stands above it. */
const NEAR = { matches: 3, before: 3, after: 2, lines: 20 };
/** A place in a traceback of Python, which has its code on the next line. */
const FRAME = /^\W*File ".+", line \d+/;
/** What opens a block that has no name. */
const OPENING = /[[({]\s*$/;

type Search = (query: SearchQuery) => Promise<SearchOutcome>;

/** Up to so many matches beyond the limit are shown rather than left for another call. */
const FEW_MATCHES = 10;

async function withFewMore(
  outcome: SearchOutcome,
  { query, isOpen }: GrepRequest,
  search: Search,
): Promise<SearchOutcome> {
  const { matchingLines, stoppedBy } = outcome;
  const isFew = matchingLines <= query.maxResults + FEW_MATCHES;
  if (!isOpen || !isFew || stoppedBy !== "maxResults") return outcome;
  return search({ ...query, maxResults: query.maxResults + FEW_MATCHES });
}

/**
 * The first and the last matches, where there are too many: what went wrong in the end is rarely among
 * the first.
 */
async function showEnds(
  outcome: SearchOutcome,
  query: SearchQuery,
  maxChars: number,
  search: Search,
  show: typeof renderMatches,
): Promise<RenderedMatches | undefined> {
  const { matches, matchingLines } = outcome;
  const count = Math.floor(query.maxResults / 2);
  const head = show(
    { matches: matches.slice(0, count), matchingLines },
    query,
    Math.floor(maxChars / 2),
  );
  const skipMatches = Math.max(matchingLines - count, head.shown);
  const last = await search({ ...query, maxResults: count, skipMatches }).catch(() => undefined);
  if (head.isNarrowed || head.nextChar !== undefined || !last || last.stoppedBy === "deadline") {
    return undefined;
  }
  const gapChars = 80;
  const room = maxChars - head.text.length - gapChars;
  for (let first = 0; first < last.matches.length; first += 1) {
    const some = last.matches.slice(first);
    const tail = show({ matches: some, matchingLines: some.length }, query, room);
    if (tail.left > 0 || tail.isNarrowed || tail.nextChar !== undefined) continue;
    const left = matchingLines - head.shown - some.length;
    const gap = left > 0 ? `[… ${countOf(left, "match", "matches")} between …]` : "--";
    const text = `${head.text}\n${gap}\n${tail.text}`;
    return { ...head, text, shown: head.shown + some.length, left };
  }
  return undefined;
}

/** A time at the start of a line, as CI systems and containers write it. */
const STAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z? /;
const STAMPED_LINES = 3;

/** Renders matches; a time that begins every line is said once to be left out, unless digits were searched for. */
function renderWithoutTimes(
  outcome: Pick<SearchOutcome, "matches" | "matchingLines">,
  query: SearchQuery,
  maxChars: number,
): RenderedMatches {
  const lines = outcome.matches.flatMap((match) => [...match.before, match, ...match.after]);
  const isStamped =
    lines.length >= STAMPED_LINES &&
    !/\d{2}|\\d/.test(query.pattern) &&
    outcome.matches.every(({ textColumn, further }) => textColumn === 1 && !further) &&
    lines.every(({ text }) => STAMP.test(text) || text.trim() === "");
  if (!isStamped) return renderMatches(outcome, query, maxChars);
  const cut = <T extends { readonly text: string; readonly lineChars: number }>(line: T): T => {
    const text = line.text.replace(STAMP, "");
    return { ...line, text, lineChars: line.lineChars - (line.text.length - text.length) };
  };
  const matches = outcome.matches.map((match) => ({
    ...cut(match),
    before: match.before.map(cut),
    after: match.after.map(cut),
  }));
  const rendered = renderMatches({ ...outcome, matches }, query, maxChars - STAMP_NOTE.length - 1);
  return { ...rendered, text: `${STAMP_NOTE}\n${rendered.text}` };
}

const STAMP_NOTE = "[The time at the start of each line is left out.]";

/** Who asks for lines around a match wants lines. */
function wantsNoLines({ view }: OpenTarget, asked: SearchQuery): boolean {
  return asked.contextBefore + asked.contextAfter === 0 && view === "readable";
}

/** Matches in JSON are shown as the records that they are in. */
async function findRecordLines(
  target: OpenTarget,
  asked: SearchQuery,
  outcome: SearchOutcome,
): Promise<readonly RecordLine[] | undefined> {
  return wantsNoLines(target, asked) ? describeRecords(target, outcome) : undefined;
}

function renderRecords(
  records: readonly RecordLine[],
  { matchingLines }: SearchOutcome,
  maxChars: number,
): RenderedMatches {
  let text = "";
  let shown = 0;
  let nextLine = 1;
  for (const record of records) {
    const longer = text === "" ? record.text : `${text}\n${record.text}`;
    if (longer.length > maxChars && text !== "") break;
    text = takeStart(longer, maxChars);
    shown += record.lines;
    nextLine = Math.max(nextLine, record.lastLine + 1);
  }
  const left = matchingLines - shown;
  return { text, shown, left, nextLine, nextChar: undefined, isNarrowed: false };
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

/** Options of `grepSession`. */
export interface GrepSessionOptions extends Omit<
  GrepOptions,
  "startLine" | "startChar" | "pointer"
> {
  /** Where an earlier answer stopped, taken from its `next`. */
  readonly cursor?: string | undefined;
}

/** The answer to a search of all artifacts. */
export interface SessionReading extends Pick<Reading, "text" | "leftOut" | "next" | "note"> {
  /** The artifacts with matches that `text` names, newest first. */
  readonly counts: readonly ArtifactCount[];
}

export interface SessionSearchRequest {
  readonly query: SearchQuery;
  /** Only the number of matches of each artifact. */
  readonly count: boolean;
  /** Whether a time that begins every line of an artifact is left out. */
  readonly withoutTimes: boolean;
  readonly maxChars: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface SessionSearchTools {
  readonly clock: Clock;
  /** Lists what is to be searched. */
  readonly list: () => Promise<SearchPage>;
  /** Searches one artifact. */
  readonly search: (
    record: ArtifactRecord,
    query: SearchQuery,
    deadlineMs: number,
  ) => Promise<ArtifactSearch>;
}

/** What was found in one artifact: its lines, and the records that these are in. */
export interface ArtifactSearch {
  readonly outcome: SearchOutcome;
  readonly records: readonly RecordLine[] | undefined;
}

/** Searches one of several artifacts while it is open. */
export async function searchOpen(
  target: OpenTarget,
  query: SearchQuery,
  deadlineMs: number,
  searchText: SearchText,
): Promise<ArtifactSearch> {
  const outcome = await searchIntact(target, query, deadlineMs, searchText);
  const records = await findRecordLines(target, query, outcome);
  return { outcome, records };
}

/** What one search goes through, newest first. */
export interface SearchPage {
  readonly records: readonly ArtifactRecord[];
  /** How many older artifacts there are. */
  readonly older: number;
  /** Where the next search continues if so many of the records are done with. */
  readonly cursorAfter: (searched: number) => string | undefined;
}

/** The newest artifacts that a session may read, from the cursor on; those of all sessions come from the store's index. */
export async function listNewest(
  store: ArtifactStore,
  { sessionId, cursor }: Pick<GrepSessionOptions, "sessionId" | "cursor">,
  without?: ArtifactRecord,
): Promise<SearchPage> {
  const limit = DEFAULTS.searchArtifacts;
  if (sessionId === undefined) {
    const page = { newestFirst: true, after: cursor, limit, countRest: true };
    const query = { ...page, exceptContext: HIDDEN_CONTEXT };
    const { artifacts, leftOut = 0 } = await queryArtifacts(store, query);
    return {
      records: artifacts.map(({ record }) => record),
      older: leftOut,
      cursorAfter: (searched) => artifacts[searched - 1]?.cursor ?? cursor,
    };
  }
  const records: ArtifactRecord[] = [];
  for (const session of await visibleSessions(store, sessionId)) {
    records.push(...(await store.listSession(session)).artifacts.values());
  }
  const sorted = records
    .filter(({ location, metadata }) => {
      return location !== without?.location && metadata.context_type !== HIDDEN_CONTEXT;
    })
    .sort(byTime);
  const start = requireCursor(cursor, sorted.length);
  const newest = sorted.slice(Math.max(0, start - limit), start).reverse();
  return {
    records: newest,
    older: start - newest.length,
    cursorAfter: (searched) => String(start - searched),
  };
}

/** The matching lines of all artifacts, newest first, each artifact under a line of its own. */
export async function grepArtifacts(
  request: SessionSearchRequest,
  { clock, list, search }: SessionSearchTools,
): Promise<SessionReading> {
  const { query, deadlineMs, signal } = request;
  const endsAt = clock.elapsed() + deadlineMs;
  const remainingMs = (): number => endsAt - clock.elapsed();
  const { records, older, cursorAfter } = await list();
  const pass = (asked: SearchQuery): Promise<Pass> => {
    signal?.throwIfAborted();
    return searchEach(records, { ...request, query: asked }, remainingMs, search);
  };
  const { asked, outcome, note } = await searchAsMeant(query, remainingMs, pass);
  if (outcome.matchingLines === 0 && outcome.searched === 0 && outcome.timedOut) {
    throw new SearchTimeoutError(query.pattern, deadlineMs, 0);
  }
  const rest = records.length - outcome.searched + older;
  const cursor = cursorAfter(outcome.searched);
  const counting = request.count ? { count: true } : {};
  const goOn: NextCall | undefined =
    rest > 0 && cursor !== undefined
      ? {
          tool: "grep_knowledge",
          input: { ...callInput(asked), ...counting, cursor },
        }
      : undefined;
  const notes = note === undefined ? [] : [note];
  let next = outcome.next ?? goOn;
  if (outcome.matchingLines === 0) {
    const near = await findNear(
      query,
      remainingMs,
      async (wider) => (await pass(wider)).matchingLines,
    );
    notes.push(near?.note ?? NO_MATCH);
    if (near) next = { tool: "grep_knowledge", input: { ...callInput(near.query), ...counting } };
  }
  if (outcome.unreadable > 0)
    notes.push(`${countOf(outcome.unreadable, "result")} could not be read.`);
  if (rest > 0) {
    const unsearched = `${countOf(rest, "older result")} not searched`;
    // The call for the rest is only named here if another one comes first.
    notes.push(
      next === goOn ? `${unsearched}.` : `${unsearched}: cursor ${JSON.stringify(cursor)}.`,
    );
  }
  return {
    text: outcome.text,
    counts: outcome.counts,
    leftOut: outcome.left > 0 ? { unit: "matches", count: outcome.left } : undefined,
    next,
    note: notes.length > 0 ? notes.join(" ") : undefined,
  };
}

interface Pass {
  text: string;
  counts: ArtifactCount[];
  matchingLines: number;
  left: number;
  /** How many artifacts are done with. */
  searched: number;
  unreadable: number;
  timedOut: boolean;
  next: NextCall | undefined;
}

async function searchEach(
  records: readonly ArtifactRecord[],
  { query, count, withoutTimes, maxChars }: SessionSearchRequest,
  remainingMs: () => number,
  search: SessionSearchTools["search"],
): Promise<Pass> {
  const pass: Pass = {
    ...{ text: "", counts: [], matchingLines: 0, left: 0, searched: 0, unreadable: 0 },
    ...{ timedOut: false, next: undefined },
  };
  const sessions = new Set(records.map(({ sessionId }) => sessionId));
  let room = count ? 0 : query.maxResults;
  for (const record of records) {
    const deadlineMs = remainingMs();
    if (deadlineMs <= 0) pass.timedOut = true;
    if (pass.timedOut) break;
    const { artifactId, sessionId } = record;
    const found = await searchOne(
      record,
      { ...query, maxResults: Math.max(1, room) },
      deadlineMs,
      search,
    );
    if (found === "timeout") {
      pass.timedOut = true;
      break;
    }
    if (found === "unreadable") {
      pass.unreadable += 1;
      pass.searched += 1;
      continue;
    }
    const { outcome, records: lines } = found;
    if (outcome.matchingLines > 0) {
      const most = room > 0 ? Math.max(1, maxChars - pass.text.length - HEADING_CHARS) : 1;
      const render = withoutTimes ? renderWithoutTimes : renderMatches;
      const rendered = lines ? renderRecords(lines, outcome, most) : render(outcome, query, most);
      const matches = rendered.shown + rendered.left;
      const of = sessions.size > 1 ? ` of session ${sessionId}` : "";
      const heading = count
        ? `${artifactId}${of}: ${matches}`
        : `[${artifactId}${of}: ${countOf(matches, "match", "matches")}]`;
      const head = pass.text === "" ? heading : `${pass.text}\n${heading}`;
      if (head.length > maxChars && pass.text !== "") break;
      const fits = room > 0 && head.length + 1 + rendered.text.length <= maxChars;
      pass.text = fits ? `${head}\n${rendered.text}` : head;
      pass.counts.push({ artifactId, sessionId, matches });
      pass.matchingLines += outcome.matchingLines;
      const left = fits ? rendered.left : count ? 0 : matches;
      pass.left += left;
      room = fits ? Math.max(0, room - rendered.shown) : 0;
      if (left > 0) {
        const { nextLine, nextChar } = rendered;
        const place = fits
          ? { start_line: nextLine, ...(nextChar ? { start_char: nextChar } : {}) }
          : {};
        pass.next ??= {
          tool: "grep_knowledge",
          input: { artifact_id: artifactId, ...callInput(query), ...place },
        };
      }
    }
    pass.searched += 1;
    if (outcome.stoppedBy === "deadline") pass.timedOut = true;
  }
  return pass;
}

/** Room for the line that names an artifact. */
const HEADING_CHARS = 120;

/** One artifact that cannot be read does not keep the others from being searched. */
async function searchOne(
  record: ArtifactRecord,
  query: SearchQuery,
  deadlineMs: number,
  search: SessionSearchTools["search"],
): Promise<ArtifactSearch | "timeout" | "unreadable"> {
  try {
    return await search(record, query, deadlineMs);
  } catch (error) {
    if (error instanceof SearchTimeoutError) return "timeout";
    if (error instanceof InvalidPatternError || !ContextOffloadError.isInstance(error)) throw error;
    return "unreadable";
  }
}

/** The cursor is how many artifacts are left, counted from the oldest, so that new ones do not move it. */
function requireCursor(cursor: string | undefined, count: number): number {
  if (cursor === undefined) return count;
  const left = /^\d{1,15}$/.test(cursor) ? Number(cursor) : NaN;
  if (left <= count) return left;
  throw new InvalidArgumentError("cursor", cursor, "the cursor of an earlier answer");
}
