import { DEFAULTS } from "../../core/defaults.js";
import {
  InvalidPatternError,
  SearchFailedError,
  SearchTimeoutError,
} from "../../core/errors/reading-errors.js";
import { compilePattern, type CompiledPattern } from "../../core/lib/search/compile-pattern.js";
import {
  PatternError,
  type SearchOutcome,
  type SearchQuery,
  type SearchSource,
} from "../../core/lib/search/search-terms.js";
import { SharedProgress } from "./messages.js";
import { type SearchJob, SearchWorker, timerMs } from "./search-worker.js";

export interface SearchOptions {
  /** How long the search may run, from when it begins. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  /** Searches of different groups take turns, however many each of them has. */
  readonly group?: string;
}

/** Searches texts off the main thread. */
export interface Searcher {
  /**
   * Resolves at the deadline at the latest, with what was found so far. The source must be open until
   * then.
   *
   * @throws InvalidPatternError when the pattern cannot be used.
   * @throws SearchTimeoutError when it waited for other searches for five times its deadline.
   */
  search(source: SearchSource, query: SearchQuery, options: SearchOptions): Promise<SearchOutcome>;
  /** Ends the workers. Pending searches are rejected. */
  close(): Promise<void>;
}

/** How many patterns run at once. */
const PATTERN_WORKERS = 2;
/** One more, so that a search for plain text never waits for a pattern. */
const MAX_WORKERS = PATTERN_WORKERS + 1;

/**
 * Makes a searcher with its own queue and workers. A worker starts with the first search and is kept for the next; while no search
 * is running it does not keep the process alive.
 */
export function createSearcher(): Searcher {
  return new WorkerSearcher();
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

class WorkerSearcher implements Searcher {
  readonly #workers = new Set<SearchWorker>();
  readonly #queue = new SearchQueue();
  #closed = false;

  search(source: SearchSource, query: SearchQuery, options: SearchOptions): Promise<SearchOutcome> {
    const { deadlineMs, signal, group = "" } = options;
    return new Promise((resolve, reject: (reason: Error) => void) => {
      // Also compiled here, so that an invalid pattern is rejected at once.
      const { isPlain } = compile(query);
      signal?.throwIfAborted();
      if (this.#closed) throw closedError();
      const abort = (): void => {
        const result = { error: signal?.reason as unknown };
        if (this.#queue.remove(job)) job.settle(result);
        else this.#workerOf(job)?.stop(() => result);
      };
      const waitMs = timerMs(deadlineMs * DEFAULTS.searchWaits);
      const waitTimer = setTimeout(() => {
        if (!this.#queue.remove(job)) return;
        job.settle({ error: new SearchTimeoutError(query.pattern, deadlineMs, 0, waitMs) });
      }, waitMs);
      const job: SearchJob = {
        ...{ source, query, deadlineMs, group, isPlain },
        progress: new SharedProgress(),
        matches: [],
        settle: (result) => {
          clearTimeout(waitTimer);
          signal?.removeEventListener("abort", abort);
          if ("outcome" in result) resolve(result.outcome);
          // The reason of an aborted signal may be anything, and is passed on unchanged.
          else reject(result.error as Error);
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#queue.add(job);
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.drain()) job.settle({ error: closedError() });
    await Promise.all([...this.#workers].map((worker) => worker.end(closedError())));
  }

  #workerOf(job: SearchJob): SearchWorker | undefined {
    return [...this.#workers].find((worker) => worker.job === job);
  }

  #dispatch(): void {
    for (;;) {
      const idle = [...this.#workers].filter((worker) => worker.job === undefined);
      const job =
        idle.length > 0 || this.#workers.size < MAX_WORKERS
          ? this.#queue.take(({ isPlain }) => isPlain || this.#runningPatterns() < PATTERN_WORKERS)
          : undefined;
      if (job === undefined) {
        // One worker is kept for the next search, the others are ended.
        for (const worker of idle.slice(1)) void worker.end(closedError());
        return;
      }
      try {
        (idle[0] ?? this.#startWorker()).begin(job);
      } catch (cause) {
        job.settle({ error: new SearchFailedError("no worker could be started", { cause }) });
      }
    }
  }

  #runningPatterns(): number {
    return [...this.#workers].filter(({ job }) => job !== undefined && !job.isPlain).length;
  }

  #startWorker(): SearchWorker {
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

function compile(query: SearchQuery): CompiledPattern {
  try {
    return compilePattern(query);
  } catch (error) {
    throw PatternError.isInstance(error)
      ? new InvalidPatternError(query.pattern, error.reason)
      : error;
  }
}

function closedError(): Error {
  return new SearchFailedError("this workspace was closed; open it again to search");
}
