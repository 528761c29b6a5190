import { compilePattern } from "../../core/lib/search/compile-pattern.js";
import type { SearchOutcome, SearchQuery } from "../../core/lib/search/search-query.js";
import { SharedProgress } from "./search-message.js";
import {
  outcomeOf,
  QUEUE_DEADLINES,
  SearchWorker,
  timerMs,
  type SearchJob,
  type SearchTarget,
} from "./search-worker.js";

export interface SearchOptions {
  /** How long the search may run, counted from when it begins. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

/** Searches texts off the main thread. */
export interface Searcher {
  /**
   * Resolves at the deadline at the latest, with what was found so far. A search that has to wait
   * for others gives up, with nothing found, after five times its deadline.
   *
   * @throws InvalidPatternError when the pattern cannot be used.
   */
  search(target: SearchTarget, query: SearchQuery, options: SearchOptions): Promise<SearchOutcome>;
  /** Ends the workers. Searches under way are rejected. */
  close(): Promise<void>;
}

const MAX_WORKERS = 2;

/**
 * Makes a searcher. Its worker starts with the first search and is kept for the next; while no
 * search is under way it does not keep the process alive.
 */
export function createSearcher(): Searcher {
  return new WorkerSearcher();
}

class WorkerSearcher implements Searcher {
  readonly #workers = new Set<SearchWorker>();
  #queue: SearchJob[] = [];
  #closed = false;

  search(
    target: SearchTarget,
    query: SearchQuery,
    { deadlineMs, signal }: SearchOptions,
  ): Promise<SearchOutcome> {
    return new Promise((resolve, reject: (reason: Error) => void) => {
      // Here and not in the worker, so that the caller gets the error itself.
      compilePattern(query);
      signal?.throwIfAborted();
      if (this.#closed) throw closedError();
      const abort = (): void => {
        job.settle({ error: signal?.reason });
        this.#giveUp(job);
      };
      const waitTimer = setTimeout(
        () => {
          if (!this.#queue.includes(job)) return;
          job.settle({ outcome: outcomeOf(job, "deadline") });
          this.#giveUp(job);
        },
        timerMs(deadlineMs * QUEUE_DEADLINES),
      );
      const job: SearchJob = {
        target,
        query,
        deadlineMs,
        progress: new SharedProgress(),
        matches: [],
        settled: false,
        settle: (result) => {
          if (job.settled) return;
          job.settled = true;
          clearTimeout(waitTimer);
          signal?.removeEventListener("abort", abort);
          if ("outcome" in result) resolve(result.outcome);
          // What a signal was aborted with may be anything, and is handed on as it is.
          else reject(result.error as Error);
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#queue.push(job);
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.splice(0)) job.settle({ error: closedError() });
    await Promise.all([...this.#workers].map((worker) => worker.end(closedError())));
  }

  #giveUp(job: SearchJob): void {
    this.#queue = this.#queue.filter((waiting) => waiting !== job);
    for (const worker of this.#workers) if (worker.job === job) worker.stop();
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const worker = this.#freeWorker();
      const job = worker === undefined ? undefined : this.#queue.shift();
      if (worker === undefined || job === undefined) return;
      worker.begin(job);
    }
    // One is kept for the next search, the others have done their work.
    const idle = [...this.#workers].filter((worker) => worker.job === undefined);
    for (const worker of idle.slice(1)) void worker.end(closedError());
  }

  #freeWorker(): SearchWorker | undefined {
    for (const worker of this.#workers) if (worker.job === undefined) return worker;
    if (this.#workers.size >= MAX_WORKERS) return undefined;
    const worker = new SearchWorker({
      onFree: () => {
        this.#dispatch();
      },
      onGone: () => {
        this.#workers.delete(worker);
        this.#dispatch();
      },
    });
    this.#workers.add(worker);
    return worker;
  }
}

function closedError(): Error {
  return new Error("The searcher is closed");
}
