import { InvalidPatternError } from "../core/errors/search-errors.js";
import { compilePattern, type CompiledPattern } from "../core/lib/search/compile-pattern.js";
import { LineSearch } from "../core/lib/search/line-search.js";
import {
  PatternError,
  type SearchMatch,
  type SearchQuery,
} from "../core/lib/search/search-terms.js";
import { readPieces } from "../core/lib/text/byte-source.js";
import type { SearchText } from "../core/workspace/reading/grep-knowledge.js";

/** Searches in this thread, without a worker and without a deadline. */
export const searchHere: SearchText = async (source, query, { signal }) => {
  signal?.throwIfAborted();
  const matches: SearchMatch[] = [];
  const lines = new LineSearch(query, {
    pattern: compileOrRefuse(query),
    onMatch: (match) => void matches.push(match),
  });
  for await (const piece of readPieces(source, signal)) lines.push(piece);
  lines.finish();
  const { matchingLines, scannedLines } = lines.tally;
  const complete = matches.length === matchingLines;
  return complete
    ? { matches, matchingLines, scannedLines, complete }
    : { matches, matchingLines, scannedLines, complete, stoppedBy: "maxResults" };
};

function compileOrRefuse(query: SearchQuery): CompiledPattern {
  try {
    return compilePattern(query);
  } catch (error) {
    if (!PatternError.isInstance(error)) throw error;
    throw new InvalidPatternError(query.pattern, error.reason);
  }
}
