import { InvalidPatternError, SearchTimeoutError } from "../../errors/search-errors.js";
import { rereadPattern } from "../../lib/search/foreign-syntax.js";
import type { SearchOutcome, SearchQuery } from "../../lib/search/search-terms.js";
import { quote } from "../../lib/text/quote.js";
import { DEFAULTS } from "../../defaults.js";
import type { NextCall } from "./reading.js";

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
