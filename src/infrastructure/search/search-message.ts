import type { SearchMatch, SearchQuery } from "../../core/lib/search/search-query.js";

/** What a searcher asks of its worker. */
export interface SearchRequest {
  readonly id: number;
  readonly target: { readonly path: string } | { readonly bytes: Uint8Array };
  readonly query: SearchQuery;
  readonly deadlineMs: number;
  /** Shared with the worker: see `SharedProgress`. */
  readonly progress: SharedArrayBuffer;
}

/** What the worker answers. */
export type SearchAnswer =
  | { readonly id: number; readonly kind: "begun" }
  | { readonly id: number; readonly kind: "matches"; readonly matches: readonly SearchMatch[] }
  | { readonly id: number; readonly kind: "ended"; readonly stopped: boolean }
  | {
      readonly id: number;
      readonly kind: "failed";
      readonly error: unknown;
      readonly code: string | undefined;
      /** Set when the regular-expression engine gave up: what it said. */
      readonly reason: string | undefined;
    };

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
