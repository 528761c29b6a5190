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
import { SearchPool } from "./search-pool.js";
import { type SearchJob, timerMs } from "./search-worker.js";

export interface SearchOptions {
  /** How long the search may run, from when it begins. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
  /** Sessions take turns, however many searches each of them has. */
  readonly session?: string;
}

/** Searches texts off the main thread. */
export interface Searcher {
  /**
   * Resolves at the deadline at the latest, with what was found so far. The source must be open until
   * then.
   *
   * @throws InvalidPatternError when the pattern cannot be used.
   * @throws SearchTimeoutError when, for five times its deadline, it waited and no other search was completed.
   */
  search(source: SearchSource, query: SearchQuery, options: SearchOptions): Promise<SearchOutcome>;
  /** Rejects the searches that are pending here, and later ones. The workers are the process's, and end by themselves. */
  close(): Promise<void>;
}

const pool = new SearchPool();

/**
 * Makes a searcher on the process's workers.
 *
 * @param workspace where the artifacts are kept: searchers of the same place share its turns.
 */
export function createSearcher(workspace: string): Searcher {
  return new PooledSearcher(workspace);
}

class PooledSearcher implements Searcher {
  readonly #workspace: string;
  /** The searches that have not ended. */
  readonly #pending = new Map<SearchJob, Promise<SearchOutcome>>();
  #closed = false;

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  async search(
    source: SearchSource,
    query: SearchQuery,
    options: SearchOptions,
  ): Promise<SearchOutcome> {
    const { deadlineMs, signal, session = "" } = options;
    // Also compiled here, so that an invalid pattern is rejected at once.
    const { isPlain } = compile(query);
    signal?.throwIfAborted();
    if (this.#closed) throw closedError();
    const { settle, settled } = outcomeToSettle();
    const job: SearchJob = {
      ...{ source, query, deadlineMs, session, isPlain, settle },
      workspace: this.#workspace,
      progress: new SharedProgress(),
      matches: [],
    };
    const abort = (): void => {
      pool.stop(job, { error: signal?.reason as unknown });
    };
    const waitMs = deadlineMs * DEFAULTS.searchWaits;
    const waitsSince = performance.now();
    const giveUp = (): void => {
      // A long queue that moves is no reason to give up.
      const stoodStillMs = performance.now() - Math.max(waitsSince, pool.lastCompleteAt);
      if (stoodStillMs < waitMs) {
        waitTimer = setTimeout(giveUp, timerMs(waitMs - stoodStillMs));
        return;
      }
      const error = new SearchTimeoutError(query.pattern, deadlineMs, 0, waitMs);
      pool.stopWaiting(job, { error });
    };
    let waitTimer = setTimeout(giveUp, timerMs(waitMs));
    signal?.addEventListener("abort", abort, { once: true });
    this.#pending.set(job, settled);
    pool.run(job);
    try {
      return await settled;
    } finally {
      clearTimeout(waitTimer);
      signal?.removeEventListener("abort", abort);
      this.#pending.delete(job);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const pending = [...this.#pending];
    for (const [job] of pending) pool.stop(job, { error: closedError() });
    await Promise.allSettled(pending.map(([, settled]) => settled));
  }
}

function outcomeToSettle(): Pick<SearchJob, "settle"> & { settled: Promise<SearchOutcome> } {
  let settle: SearchJob["settle"] = () => undefined;
  const settled = new Promise<SearchOutcome>((resolve, reject: (reason: Error) => void) => {
    settle = (result) => {
      if ("outcome" in result) resolve(result.outcome);
      // The reason of an aborted signal may be anything, and is passed on unchanged.
      else reject(result.error as Error);
    };
  });
  return { settle, settled };
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
