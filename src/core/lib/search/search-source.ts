import type { ByteSource } from "../text/byte-source.js";

/** A text to search. */
export interface SearchSource extends ByteSource {
  /** A descriptor of this process that is open on the bytes, so that a search may read them by itself. */
  readonly fd?: number | undefined;
}
