import { Worker } from "node:worker_threads";
import { InvalidPatternError } from "../core/errors/invalid-pattern-error.js";
import { messageOf } from "../core/errors/message-of.js";
import { compilePattern } from "../core/searching/compile-pattern.js";
import type { SearchMatch, SearchOutcome, SearchQuery } from "../core/searching/search-query.js";
import { SharedProgress, type SearchAnswer, type SearchRequest } from "./search-message.js";

/** What is searched: a file, which the worker reads itself, or bytes, of which it gets a copy. */
export type SearchTarget = { readonly path: string } | { readonly bytes: Uint8Array };

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
/** How long a worker that was told to stop may take to say so, before it is ended. */
const STOP_GRACE_MS = 50;
const QUEUE_DEADLINES = 5;

/**
 * Makes a searcher. Its worker starts with the first search and is kept for the next; while no
 * search is under way it does not keep the process alive.
 */
export function createSearcher(): Searcher {
  return new WorkerSearcher();
}

interface Job {
  readonly target: SearchTarget;
  readonly query: SearchQuery;
  readonly deadlineMs: number;
  readonly progress: SharedProgress;
  readonly matches: SearchMatch[];
  /** Ends the wait of the caller; the first call counts. */
  readonly settle: (result: { outcome: SearchOutcome } | { error: unknown }) => void;
  settled: boolean;
}

class WorkerSearcher implements Searcher {
  readonly #seats = new Set<Seat>();
  #queue: Job[] = [];
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
      const job: Job = {
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
    await Promise.all([...this.#seats].map((seat) => seat.end(closedError())));
  }

  #giveUp(job: Job): void {
    this.#queue = this.#queue.filter((waiting) => waiting !== job);
    for (const seat of this.#seats) if (seat.job === job) seat.stop();
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const seat = this.#freeSeat();
      const job = seat === undefined ? undefined : this.#queue.shift();
      if (seat === undefined || job === undefined) return;
      seat.begin(job);
    }
    // One is kept for the next search, the others have done their work.
    const idle = [...this.#seats].filter((seat) => seat.job === undefined);
    for (const seat of idle.slice(1)) void seat.end(closedError());
  }

  #freeSeat(): Seat | undefined {
    for (const seat of this.#seats) if (seat.job === undefined) return seat;
    if (this.#seats.size >= MAX_WORKERS) return undefined;
    const seat = new Seat({
      onFree: () => {
        this.#dispatch();
      },
      onGone: () => {
        this.#seats.delete(seat);
        this.#dispatch();
      },
    });
    this.#seats.add(seat);
    return seat;
  }
}

/** A worker and the one search that it runs. */
class Seat {
  readonly #worker = new Worker(new URL("./search-worker.js", import.meta.url), {
    // What this process was started with, as --input-type, may not suit a worker.
    execArgv: [],
  });
  readonly #onFree: () => void;
  readonly #onGone: () => void;
  #job: Job | undefined;
  #id = 0;
  #timer: NodeJS.Timeout | undefined;
  #gone = false;

  constructor({ onFree, onGone }: { onFree: () => void; onGone: () => void }) {
    this.#onFree = onFree;
    this.#onGone = onGone;
    this.#worker.unref();
    this.#worker.on("message", (answer: SearchAnswer) => {
      this.#take(answer);
    });
    this.#worker.on("error", (error) => {
      void this.end(new Error(`The search worker crashed: ${messageOf(error)}`, { cause: error }));
    });
    this.#worker.on("exit", (code) => {
      void this.end(new Error(`The search worker ended with exit code ${code}`));
    });
  }

  get job(): Job | undefined {
    return this.#job;
  }

  begin(job: Job): void {
    this.#job = job;
    this.#id += 1;
    // While a caller waits for it, the process may.
    this.#worker.ref();
    const { query, deadlineMs } = job;
    const progress = job.progress.buffer;
    const target = "path" in job.target ? job.target : { bytes: job.target.bytes.slice() };
    const request: SearchRequest = { id: this.#id, target, query, deadlineMs, progress };
    this.#worker.postMessage(request, "bytes" in target ? [target.bytes.buffer] : []);
    // A worker that does not even begin must not hold its search for ever.
    this.#startTimer(deadlineMs * QUEUE_DEADLINES);
  }

  /** Asks the worker to stop, and ends it where it does not. */
  stop(): void {
    this.#job?.progress.stop();
    this.#startTimer(STOP_GRACE_MS);
  }

  /** Ends the worker for good; a caller that still waits gets the error. */
  async end(error: Error): Promise<void> {
    if (this.#gone) return;
    this.#gone = true;
    clearTimeout(this.#timer);
    this.#job?.settle({ error });
    this.#job = undefined;
    this.#onGone();
    await this.#worker.terminate();
  }

  #startTimer(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const job = this.#job;
      if (job !== undefined) job.settle({ outcome: outcomeOf(job, "deadline") });
      void this.end(new Error("The search did not stop at its deadline"));
    }, timerMs(ms));
  }

  #take(answer: SearchAnswer): void {
    const job = this.#job;
    if (job === undefined || answer.id !== this.#id) return;
    switch (answer.kind) {
      case "begun":
        if (!job.progress.mustStop) this.#startTimer(job.deadlineMs + STOP_GRACE_MS);
        return;
      case "matches":
        job.matches.push(...answer.matches);
        return;
      case "ended":
        job.settle({ outcome: outcomeOf(job, answer.stopped ? "deadline" : undefined) });
        break;
      case "failed":
        job.settle({ error: errorOf(job, answer) });
        break;
    }
    clearTimeout(this.#timer);
    this.#job = undefined;
    this.#worker.unref();
    this.#onFree();
  }
}

function outcomeOf(job: Job, stoppedBy: "deadline" | undefined): SearchOutcome {
  const { matches } = job;
  // A match that was counted by a worker that got stuck may not have been handed over.
  const { scannedLines, matchingLines } = job.progress;
  const why = stoppedBy ?? (matchingLines > matches.length ? "maxResults" : undefined);
  const outcome = { matches, matchingLines, scannedLines };
  return why === undefined
    ? { ...outcome, complete: true }
    : { ...outcome, complete: false, stoppedBy: why };
}

function errorOf(job: Job, failure: Extract<SearchAnswer, { kind: "failed" }>): Error {
  const { error, code, reason } = failure;
  if (reason !== undefined) return new InvalidPatternError(job.query.pattern, reason);
  const what = "path" in job.target ? job.target.path : "the text";
  const searchError = new Error(`Could not search ${what}: ${messageOf(error)}`, { cause: error });
  return code === undefined ? searchError : Object.assign(searchError, { code });
}

/** A timer that is set for longer fires at once. */
function timerMs(ms: number): number {
  return Math.min(ms, 2_147_483_647);
}

function closedError(): Error {
  return new Error("The searcher is closed");
}
