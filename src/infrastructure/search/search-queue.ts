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

/** Searches that are waiting for a worker. Groups take turns; the searches of a group keep their order. */
export class SearchQueue {
  /** The group whose turn is next comes first. */
  readonly #groups = new Map<string, SearchJob[]>();

  add(job: SearchJob): void {
    const waiting = this.#groups.get(job.group);
    if (waiting === undefined) this.#groups.set(job.group, [job]);
    else waiting.push(job);
  }

  /** Takes the next search that `accepts` allows. */
  take(accepts: (job: SearchJob) => boolean): SearchJob | undefined {
    for (const [group, waiting] of this.#groups) {
      const job = waiting.find(accepts);
      if (job === undefined) continue;
      this.remove(job);
      this.#groups.delete(group);
      if (waiting.length > 0) this.#groups.set(group, waiting);
      return job;
    }
    return undefined;
  }

  /** @returns whether it was waiting. */
  remove(job: SearchJob): boolean {
    const waiting = this.#groups.get(job.group) ?? [];
    const at = waiting.indexOf(job);
    if (at === -1) return false;
    waiting.splice(at, 1);
    if (waiting.length === 0) this.#groups.delete(job.group);
    return true;
  }

  /** Takes all searches. */
  drain(): SearchJob[] {
    const jobs = [...this.#groups.values()].flat();
    this.#groups.clear();
    return jobs;
  }
}
