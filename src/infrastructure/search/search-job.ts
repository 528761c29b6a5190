import type {
  SearchMatch,
  SearchOutcome,
  SearchQuery,
  SearchSource,
} from "../../core/lib/search/search-terms.js";
import type { SharedProgress } from "./search-message.js";

/** How a search ended. */
export type SearchResult = { readonly outcome: SearchOutcome } | { readonly error: unknown };

/** A search and who waits for it. */
export interface SearchJob {
  readonly source: SearchSource;
  readonly query: SearchQuery;
  readonly deadlineMs: number;
  /** Whose search it is: groups take turns. */
  readonly group: string;
  /** True for a pattern that cannot backtrack. */
  readonly isPlain: boolean;
  readonly progress: SharedProgress;
  readonly matches: SearchMatch[];
  /** Ends the wait of the caller; the first call counts. */
  readonly settle: (result: SearchResult) => void;
}

/** What a search has found so far. */
export function outcomeOf(job: SearchJob, stoppedBy: "deadline" | undefined): SearchOutcome {
  const { matches } = job;
  // A match that was counted by a worker that got stuck may not have been sent.
  const { scannedLines, matchingLines } = job.progress;
  const why = stoppedBy ?? (matchingLines > matches.length ? "maxResults" : undefined);
  const outcome = { matches, matchingLines, scannedLines };
  return why === undefined
    ? { ...outcome, complete: true }
    : { ...outcome, complete: false, stoppedBy: why };
}
