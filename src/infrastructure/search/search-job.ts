import type {
  SearchMatch,
  SearchOutcome,
  SearchQuery,
  SearchSource,
} from "../../core/lib/search/search-terms.js";
import type { SharedProgress } from "./search-message.js";

/** How a search ended. */
export type SearchResult = { readonly outcome: SearchOutcome } | { readonly error: unknown };

/** A search and its caller. */
export interface SearchJob {
  readonly source: SearchSource;
  readonly query: SearchQuery;
  readonly deadlineMs: number;
  /** Searches of different groups take turns. */
  readonly group: string;
  /** True for a pattern that cannot backtrack. */
  readonly isPlain: boolean;
  readonly progress: SharedProgress;
  readonly matches: SearchMatch[];
  /** Resolves or rejects for the caller; only the first call counts. */
  readonly settle: (result: SearchResult) => void;
}

/** What a search has found so far. */
export function outcomeOf(job: SearchJob, stoppedBy: "deadline" | undefined): SearchOutcome {
  const { matches } = job;
  // A worker that got stuck may have counted a match that it did not send.
  const { scannedLines, matchingLines } = job.progress;
  const why = stoppedBy ?? (matchingLines > matches.length ? "maxResults" : undefined);
  const outcome = { matches, matchingLines, scannedLines };
  return why === undefined
    ? { ...outcome, complete: true }
    : { ...outcome, complete: false, stoppedBy: why };
}
