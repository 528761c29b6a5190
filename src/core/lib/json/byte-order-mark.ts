import { JsonSyntaxError } from "./json-syntax-error.js";

/** Some writers put these bytes first; they are not part of the text. */
const MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** Passes over a byte order mark, which may come one byte at a time. */
export class ByteOrderMark {
  #seen = 0;

  /** How many bytes at the beginning of the chunk belong to the mark. */
  skip(chunk: Uint8Array, base: number): number {
    if (base !== this.#seen || base >= MARK.length) return 0;
    let at = 0;
    while (at < chunk.length && chunk[at] === MARK[this.#seen]) {
      at += 1;
      this.#seen += 1;
    }
    const isHalf = this.#seen > 0 && this.#seen < MARK.length;
    if (isHalf && at < chunk.length) {
      throw JsonSyntaxError.unexpected(chunk[at] as number, base + at);
    }
    return at;
  }
}
