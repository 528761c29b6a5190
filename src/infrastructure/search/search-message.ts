import type { SearchMatch, SearchQuery } from "../../core/lib/search/search-terms.js";

/** What a searcher tells its worker. `id` is that of the search. */
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

/** What the worker answers. */
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
 * How far a search has come and whether it is to stop, in memory that both threads see: a worker
 * that is caught in a regular expression can neither tell nor hear.
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
