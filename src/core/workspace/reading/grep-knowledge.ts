import { takeStart } from "../../lib/text/surrogates.js";
import { DEFAULTS } from "../../defaults.js";
import { countOf } from "../../lib/digest/printable.js";
import { InvalidPatternError, SearchTimeoutError } from "../../errors/search-errors.js";
import { requireRange } from "../../lib/text/text-range.js";
import type {
  ContextLine,
  SearchMatch,
  SearchOutcome,
  SearchQuery,
  SearchSource,
} from "../../lib/search/search-terms.js";
import type { ReadOptions, Reading } from "./reading.js";
import type { OpenTarget } from "./read-knowledge.js";

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
  /** The search is stopped after this many milliseconds. Default 2,000. */
  readonly deadlineMs?: number | undefined;
}

export interface GrepRequest {
  readonly query: SearchQuery;
  readonly deadlineMs: number;
}

/** The matching lines, as `grep -n` prints them. */
export async function grepText(
  target: OpenTarget,
  { query, deadlineMs }: GrepRequest,
  searchText: SearchText,
): Promise<Reading> {
  const { pattern, fromLine = 1 } = query;
  const most = DEFAULTS.patternChars;
  if (pattern.length > most) {
    const reason = `it has ${pattern.length} characters, and the limit is ${most}`;
    throw new InvalidPatternError(pattern, reason);
  }
  const { signal, record, text, maxChars } = target;
  // More could never be shown: each context line takes at least three characters of the answer.
  const mostLines = Math.ceil(maxChars / 3);
  const bounded = {
    ...query,
    maxChars,
    contextBefore: Math.min(query.contextBefore, mostLines),
    contextAfter: Math.min(query.contextAfter, mostLines),
  };
  const checking = new AbortController();
  // In parallel, since the search runs in another thread.
  const checked = text.check(checking.signal).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const outcome = await searchText(text.source, bounded, {
    deadlineMs,
    group: record.sessionId,
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    checking.abort();
    throw error;
  });
  if (outcome.stoppedBy === "deadline") checking.abort();
  else {
    const damage = await checked;
    if (damage) throw damage.error;
  }
  if (outcome.stoppedBy === "deadline") {
    if (outcome.matches.length === 0)
      throw new SearchTimeoutError(pattern, deadlineMs, outcome.scannedLines);
  } else if (fromLine > 1) {
    // The number of lines is known only now: indexing them first would cost more than the search.
    const range = { start: fromLine, end: fromLine, count: outcome.scannedLines };
    requireRange({ ...range, names: ["startLine"], unit: "line", owner: "the text" });
  }
  return answer(target, query, outcome, deadlineMs);
}

function answer(
  { record, view, maxChars }: OpenTarget,
  query: SearchQuery,
  outcome: SearchOutcome,
  deadlineMs: number,
): Reading {
  const shown: SearchMatch[] = [];
  const notes: string[] = [];
  let text = "";
  for (const match of outcome.matches) {
    const next = text + (shown.length === 0 ? "" : separatorOf(query)) + renderMatch(match);
    if (next.length > maxChars && shown.length > 0) break;
    shown.push(match);
    if (next.length <= maxChars) text = next;
    else {
      text = renderFitting(match, maxChars);
      notes.push("Only the lines next to the match fit into this answer.");
      break;
    }
  }
  const left = outcome.matchingLines - shown.length;
  const last = shown.at(-1);
  const more = last !== undefined && (left > 0 || !outcome.complete);
  if (outcome.stoppedBy === "deadline") {
    const passed = countOf(outcome.scannedLines, "line");
    notes.push(`The search was stopped after ${deadlineMs} ms, ${passed} in.`);
  }
  if (shown.length === 0) notes.push("No line matches.");
  return {
    artifactId: record.artifactId,
    sessionId: record.sessionId,
    view,
    text,
    range: {
      unit: "matches",
      from: shown.length > 0 ? 1 : 0,
      to: shown.length,
      of: outcome.matchingLines,
    },
    leftOut: left > 0 ? { unit: "matches", count: left } : undefined,
    next: more
      ? {
          tool: "grep_knowledge",
          input: {
            artifact_id: record.artifactId,
            pattern: query.pattern,
            start_line: (left > 0 ? last.line : Math.max(last.line, outcome.scannedLines)) + 1,
            ...(query.literal ? { literal: true } : {}),
            ...(query.ignoreCase ? { ignore_case: true } : {}),
            ...(query.contextBefore > 0 ? { context_before: query.contextBefore } : {}),
            ...(query.contextAfter > 0 ? { context_after: query.contextAfter } : {}),
            ...(query.maxResults === DEFAULTS.searchResults
              ? {}
              : { max_results: query.maxResults }),
            ...(view === "raw" ? { view } : {}),
          },
        }
      : undefined,
    note: notes.length > 0 ? notes.join(" ") : undefined,
  };
}

function separatorOf({ contextBefore, contextAfter }: SearchQuery): string {
  return contextBefore + contextAfter > 0 ? "\n--\n" : "\n";
}

function renderMatch(match: SearchMatch): string {
  return [
    ...match.before.map(renderContext),
    `${match.line}:${renderWindow(match)}`,
    ...match.after.map(renderContext),
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
function renderWindow({ text, textColumn, lineChars, column }: SearchMatch): string {
  if (text.length >= lineChars) return text;
  const end = textColumn + text.length - 1;
  return `[characters ${textColumn}-${end} of ${lineChars}, match at ${column}] ${text}`;
}

function renderContext({ line, text, lineChars }: ContextLine): string {
  return `${line}-${text}${text.length < lineChars ? ` [… ${lineChars} characters]` : ""}`;
}
