import { Worker } from "node:worker_threads";
import { InvalidPatternError } from "../../core/errors/invalid-pattern-error.js";
import { messageOf } from "../../core/errors/message-of.js";
import type {
  SearchMatch,
  SearchOutcome,
  SearchQuery,
} from "../../core/lib/search/search-query.js";
import type { SearchAnswer, SearchRequest, SharedProgress } from "./search-message.js";

/** How long a worker that was told to stop may take to say so, before it is ended. */
const STOP_GRACE_MS = 50;
/** A search waits for its worker as many times its deadline as this. */
export const QUEUE_DEADLINES = 5;

/** What is searched: a file, which the worker reads itself, or bytes, of which it gets a copy. */
export type SearchTarget = { readonly path: string } | { readonly bytes: Uint8Array };

/** A search and who waits for it. */
export interface SearchJob {
  readonly target: SearchTarget;
  readonly query: SearchQuery;
  readonly deadlineMs: number;
  readonly progress: SharedProgress;
  readonly matches: SearchMatch[];
  /** Ends the wait of the caller; the first call counts. */
  readonly settle: (result: { outcome: SearchOutcome } | { error: unknown }) => void;
  settled: boolean;
}

/** A worker and the one search that it runs. */
export class SearchWorker {
  readonly #thread = new Worker(new URL("./worker-thread.js", import.meta.url), {
    // What this process was started with, as --input-type, may not suit a worker.
    execArgv: [],
  });
  readonly #onFree: () => void;
  readonly #onGone: () => void;
  #job: SearchJob | undefined;
  #id = 0;
  #timer: NodeJS.Timeout | undefined;
  #gone = false;

  constructor({ onFree, onGone }: { onFree: () => void; onGone: () => void }) {
    this.#onFree = onFree;
    this.#onGone = onGone;
    this.#thread.unref();
    this.#thread.on("message", (answer: SearchAnswer) => {
      this.#take(answer);
    });
    this.#thread.on("error", (error) => {
      void this.end(new Error(`The search worker crashed: ${messageOf(error)}`, { cause: error }));
    });
    this.#thread.on("exit", (code) => {
      void this.end(new Error(`The search worker ended with exit code ${code}`));
    });
  }

  get job(): SearchJob | undefined {
    return this.#job;
  }

  begin(job: SearchJob): void {
    this.#job = job;
    this.#id += 1;
    // While a caller waits for it, the process may.
    this.#thread.ref();
    const { query, deadlineMs } = job;
    const progress = job.progress.buffer;
    const target = "path" in job.target ? job.target : { bytes: job.target.bytes.slice() };
    const request: SearchRequest = { id: this.#id, target, query, deadlineMs, progress };
    this.#thread.postMessage(request, "bytes" in target ? [target.bytes.buffer] : []);
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
    await this.#thread.terminate();
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
    this.#thread.unref();
    this.#onFree();
  }
}

/** What a search has found so far. */
export function outcomeOf(job: SearchJob, stoppedBy: "deadline" | undefined): SearchOutcome {
  const { matches } = job;
  // A match that was counted by a worker that got stuck may not have been handed over.
  const { scannedLines, matchingLines } = job.progress;
  const why = stoppedBy ?? (matchingLines > matches.length ? "maxResults" : undefined);
  const outcome = { matches, matchingLines, scannedLines };
  return why === undefined
    ? { ...outcome, complete: true }
    : { ...outcome, complete: false, stoppedBy: why };
}

function errorOf(job: SearchJob, failure: Extract<SearchAnswer, { kind: "failed" }>): Error {
  const { error, code, reason } = failure;
  if (reason !== undefined) return new InvalidPatternError(job.query.pattern, reason);
  const what = "path" in job.target ? job.target.path : "the text";
  const searchError = new Error(`Could not search ${what}: ${messageOf(error)}`, { cause: error });
  return code === undefined ? searchError : Object.assign(searchError, { code });
}

/** A timer that is set for longer fires at once. */
export function timerMs(ms: number): number {
  return Math.min(ms, 2_147_483_647);
}
