import { DEFAULTS } from "../../defaults.js";
import type { SearchQuery } from "../../lib/search/search-terms.js";
import type { NextCall } from "./reading.js";

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
