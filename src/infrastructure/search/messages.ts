import type { SearchQuery, SearchMatch } from "../../core/lib/search/search-terms.js";

/** A message to the worker. `id` is that of the search. */
export type SearchRequest =
  | {
      readonly id: number;
      readonly kind: "search";
      readonly query: SearchQuery;
      readonly deadlineMs: number;
      /** Shared with the worker: see `SharedProgress`. */
      readonly progress: SharedArrayBuffer;
      /** The open file that the worker reads; `undefined` when the bytes come as pieces. */
      readonly file: { readonly fd: number; readonly size: number } | undefined;
    }
  | { readonly id: number; readonly kind: "piece"; readonly bytes: Uint8Array }
  /** There are no more pieces: the text has ended, or the search is to stop. */
  | { readonly id: number; readonly kind: "end" | "stop" };

/** A message from the worker. */
export type SearchAnswer =
  | { readonly id: number; readonly kind: "begun" }
  /** A piece was searched: there is room for another one. */
  | { readonly id: number; readonly kind: "taken" }
  | { readonly id: number; readonly kind: "matches"; readonly matches: readonly SearchMatch[] }
  | { readonly id: number; readonly kind: "ended"; readonly stopped: boolean }
  | { readonly id: number; readonly kind: "failed"; readonly failure: SearchFailure };

/** Why a search failed, as plain data, since an error loses its class between threads. */
export type SearchFailure =
  | { readonly kind: "pattern"; readonly reason: string }
  | { readonly kind: "read"; readonly code: string; readonly message: string }
  | { readonly kind: "other"; readonly message: string };

/**
 * The progress of a search and whether it must stop, in shared memory: a worker that is busy with a
 * regular expression can neither send nor receive messages.
 */
export class SharedProgress {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Float64Array;

  constructor(buffer = new SharedArrayBuffer(3 * Float64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new Float64Array(buffer);
  }

  get scannedLines(): number {
    return this.#cells[0] ?? 0;
  }

  set scannedLines(count: number) {
    this.#cells[0] = count;
  }

  get matchingLines(): number {
    return this.#cells[1] ?? 0;
  }

  set matchingLines(count: number) {
    this.#cells[1] = count;
  }

  get mustStop(): boolean {
    return this.#cells[2] === 1;
  }

  stop(): void {
    this.#cells[2] = 1;
  }
}
