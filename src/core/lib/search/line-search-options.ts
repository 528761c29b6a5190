import type { CompiledPattern } from "./compile-pattern.js";
import type { SearchBuffer } from "./search-buffer.js";
import type { SearchMatch } from "./search-terms.js";

/** The progress of a search. Updated while it runs, so that it can be read from elsewhere. */
export interface SearchTally {
  scannedLines: number;
  matchingLines: number;
}

/** What a search needs besides its query. */
export interface LineSearchOptions {
  readonly pattern: CompiledPattern;
  /** Called with each match, in order, as soon as its context lines are known. */
  readonly onMatch: (match: SearchMatch) => void;
  /** Called between lines; once it returns true, the search stops. Default: never. */
  readonly shouldStop?: () => boolean;
  /** Default: a search buffer that runs anywhere. Must hold `SEARCH_BUFFER_BYTES` and be used by one search at a time. */
  readonly searchBuffer?: SearchBuffer;
  /** Default: an object of its own. */
  readonly tally?: SearchTally;
}
