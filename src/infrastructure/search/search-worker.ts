import { Worker } from "node:worker_threads";
import { DEFAULTS } from "../../core/defaults.js";
import { ContextOffloadError } from "../../core/errors/context-offload-error.js";
import { InvalidPatternError, SearchFailedError } from "../../core/errors/reading-errors.js";
import { ReadFailedError } from "../../core/errors/storage-errors.js";
import type {
  SearchMatch,
  SearchQuery,
  SearchOutcome,
  SearchSource,
} from "../../core/lib/search/search-terms.js";
import { readPieces } from "../../core/lib/text/byte-source.js";
import { CauseError } from "../cause-error.js";
import type { SearchRequest, SearchAnswer, SearchFailure, SharedProgress } from "./messages.js";
import { WORKER_SOURCE } from "./worker-source.js";

/** How a search ended. */
export type SearchResult = { readonly outcome: SearchOutcome } | { readonly error: unknown };

/** A search and its caller. */
export interface SearchJob {
  readonly source: SearchSource;
  readonly query: SearchQuery;
  readonly deadlineMs: number;
  /** Where the workspace of the search keeps its artifacts. Workspaces take turns … */
  readonly workspace: string;
  /** … and so do the sessions of each. */
  readonly session: string;
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

/** How long a worker may take to stop before it is terminated. */
const STOP_GRACE_MS = 50;
/** How long a worker may take to start. */
const START_MS = 10_000;
/** A worker without a search is ended after this: until then the next search need not start one. */
const IDLE_MS = 3_000;
/** How many pieces are sent ahead, so that the worker never waits for the next one. */
const PIECES_AHEAD = 2;

/** In Deno a file descriptor is valid only in the thread that opened it. */
const SHARES_DESCRIPTORS = !("Deno" in globalThis);

/**
 * A worker thread and the one search that it runs. The search is settled only when the thread no
 * longer reads its file: if the descriptor were closed earlier, it could belong to another file.
 */
export class SearchWorker {
  // As CommonJS in any case: options of this process, such as --input-type, are inherited.
  readonly #thread = new Worker(WORKER_SOURCE, {
    eval: true,
    execArgv: ["--input-type=commonjs"],
  });
  readonly #onFree: (isComplete: boolean) => void;
  readonly #onGone: () => void;
  #job: SearchJob | undefined;
  #pieces: AsyncIterator<Uint8Array> | undefined;
  #id = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Until when the search must have ended, whatever it waits for; not known before it has begun. */
  #endsAt: number | undefined;
  /** How much of its own time the search has left: what it waits for its source does not count. */
  #leftMs = 0;
  #countsSince: number | undefined;
  /** Pieces that were sent and not yet searched. */
  #unsearched = 0;
  /** The result to settle with once the search has stopped; until then it may find more. */
  #stopped: (() => SearchResult) | undefined;
  #gone = false;

  constructor({ onFree, onGone }: { onFree: (isComplete: boolean) => void; onGone: () => void }) {
    this.#onFree = onFree;
    this.#onGone = onGone;
    this.#thread.unref();
    this.#thread.on("message", (answer: SearchAnswer) => {
      this.#take(answer);
    });
    this.#thread.on("error", (cause) => {
      void this.end(new SearchFailedError("its worker crashed; try again", { cause }));
    });
    this.#thread.on("exit", () => {
      void this.end(new SearchFailedError("its worker ended; try again"));
    });
  }

  get job(): SearchJob | undefined {
    return this.#job;
  }

  get isIdle(): boolean {
    return this.#job === undefined && !this.#gone;
  }

  begin(job: SearchJob): void {
    this.#id += 1;
    const { query, deadlineMs, source } = job;
    const { fd, size } = source;
    const id = this.#id;
    const file = fd === undefined || !SHARES_DESCRIPTORS ? undefined : { fd, size };
    this.#post({ id, kind: "search", query, deadlineMs, progress: job.progress.buffer, file });
    this.#job = job;
    // A pending search keeps the process alive.
    this.#thread.ref();
    this.#pieces = file === undefined ? readWhole(job) : undefined;
    this.#endsAt = undefined;
    this.#countsSince = undefined;
    this.#leftMs = deadlineMs;
    this.#unsearched = 0;
    for (let ahead = 0; ahead < PIECES_AHEAD; ahead++) void this.#sendPiece(job);
    this.#startTimer(START_MS, () => {
      void this.end(new SearchFailedError("its worker did not start; try again"));
    });
  }

  /** Asks the worker to stop, and terminates it if it does not. */
  stop(result: () => SearchResult): void {
    if (this.#job === undefined || this.#stopped !== undefined) return;
    this.#stopped = result;
    this.#job.progress.stop();
    this.#post({ id: this.#id, kind: "stop" });
    this.#startTimer(STOP_GRACE_MS, () => {
      void this.end(new SearchFailedError("it did not stop"));
    });
  }

  /** Terminates the worker; a caller that is still waiting gets the error. */
  async end(error: Error): Promise<void> {
    if (this.#gone) return;
    this.#gone = true;
    clearTimeout(this.#timer);
    await this.#thread.terminate();
    this.#job?.settle(this.#stopped?.() ?? { error });
    this.#job = undefined;
    // Only now, so that there are never more threads than allowed.
    this.#onGone();
  }

  #post(request: SearchRequest, transfer: readonly ArrayBuffer[] = []): void {
    this.#thread.postMessage(request, transfer);
  }

  #startTimer(ms: number, onTime: () => void): NodeJS.Timeout {
    clearTimeout(this.#timer);
    return (this.#timer = setTimeout(onTime, timerMs(ms)));
  }

  #awaitDeadline(job: SearchJob): void {
    if (this.#endsAt === undefined || this.#stopped !== undefined) return;
    const now = performance.now();
    if (this.#countsSince !== undefined) this.#leftMs -= now - this.#countsSince;
    const counts = this.#pieces === undefined || this.#unsearched > 0;
    this.#countsSince = counts ? now : undefined;
    const untilEnd = this.#endsAt - now;
    this.#startTimer(Math.max(counts ? Math.min(this.#leftMs, untilEnd) : untilEnd, 0), () => {
      this.stop(() => ({ outcome: outcomeOf(job, "deadline") }));
    });
  }

  async #sendPiece(job: SearchJob): Promise<void> {
    const id = this.#id;
    try {
      const piece = await this.#pieces?.next();
      if (piece === undefined || this.#job !== job || this.#gone) return;
      if (piece.done === true) {
        this.#post({ id, kind: "end" });
        return;
      }
      // A copy, since the bytes may belong to the store; a Buffer's own slice would share its memory.
      const bytes = new Uint8Array(piece.value);
      this.#post({ id, kind: "piece", bytes }, [bytes.buffer]);
      this.#unsearched++;
      this.#awaitDeadline(job);
    } catch (error) {
      if (this.#job === job) this.stop(() => ({ error: asReadFailure(error) }));
    }
  }

  #take(answer: SearchAnswer): void {
    const job = this.#job;
    if (job === undefined || answer.id !== this.#id) return;
    switch (answer.kind) {
      case "begun":
        this.#endsAt =
          performance.now() + job.deadlineMs * (this.#pieces ? DEFAULTS.searchWaits : 1);
        this.#awaitDeadline(job);
        return;
      case "taken":
        this.#unsearched--;
        this.#awaitDeadline(job);
        void this.#sendPiece(job);
        return;
      case "matches":
        job.matches.push(...answer.matches);
        return;
      case "ended":
        job.settle(
          this.#stopped?.() ?? { outcome: outcomeOf(job, answer.stopped ? "deadline" : undefined) },
        );
        break;
      case "failed":
        job.settle(this.#stopped?.() ?? { error: errorOf(job, answer.failure) });
        break;
    }
    const isComplete = answer.kind === "ended" && !answer.stopped && this.#stopped === undefined;
    this.#job = undefined;
    this.#pieces = undefined;
    this.#stopped = undefined;
    this.#thread.unref();
    this.#startTimer(IDLE_MS, () => {
      void this.end(new SearchFailedError("its worker was idle; try again"));
    }).unref();
    this.#onFree(isComplete);
  }
}

/** All bytes, piece by piece; throws if there are fewer than the size says. */
async function* readWhole({ source }: SearchJob): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const piece of readPieces(source)) {
    count += piece.length;
    yield piece;
  }
  if (count < source.size) throw new CauseError(`it ends at byte ${count} of ${source.size}`);
}

function asReadFailure(error: unknown): unknown {
  return ContextOffloadError.isInstance(error) ? error : new ReadFailedError("the text", error);
}

function errorOf({ query }: SearchJob, failure: SearchFailure): Error {
  if (failure.kind === "pattern") return new InvalidPatternError(query.pattern, failure.reason);
  const cause = new Error(failure.message);
  if (failure.kind === "other")
    return new SearchFailedError("its worker failed; try again", { cause });
  return new ReadFailedError("the text", Object.assign(cause, { code: failure.code }));
}

/** The maximum delay of a timer; a longer one would fire at once. */
export function timerMs(ms: number): number {
  return Math.min(ms, 2_147_483_647);
}
