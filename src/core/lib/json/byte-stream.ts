import type { ByteSource } from "../text/byte-source.js";
import { JsonSyntaxError } from "./json-errors.js";

const LINE_BREAK = 0x0a;
const SPACE = 0x20;
/** Below this many bytes a loop is faster than a native copy. */
const SHORT_RUN = 32;
const INDENT = 2;

/** A byte array that grows at its end. */
export class ByteSink {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(Math.max(capacity, 64));
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  run(chunk: Uint8Array, from: number, to: number): void {
    const count = to - from;
    this.#reserve(count);
    if (count > SHORT_RUN) this.#bytes.set(chunk.subarray(from, to), this.#length);
    else {
      const bytes = this.#bytes;
      let at = this.#length;
      for (let index = from; index < to; index += 1) bytes[at++] = chunk[index] as number;
    }
    this.#length += count;
  }

  /** A line break and the spaces of the level. */
  line(level: number): void {
    const count = 1 + level * INDENT;
    this.#reserve(count);
    const bytes = this.#bytes;
    const end = this.#length + count;
    bytes[this.#length] = LINE_BREAK;
    for (let at = this.#length + 1; at < end; at += 1) bytes[at] = SPACE;
    this.#length = end;
  }

  /** Returns what was written and empties the sink. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** Some programs write these bytes first; they are not part of the text. */
const MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** Skips a byte order mark, which may arrive one byte at a time. */
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

const BLOCK_BYTES = 64 * 1024;

/** Keeps the last block, so that many small reads close together cost one read. */
export function readAhead(source: ByteSource): ByteSource {
  let block = new Uint8Array(0);
  let blockStart = 0;
  return {
    size: source.size,
    read: async (start, end) => {
      if (end - start >= BLOCK_BYTES) return source.read(start, end);
      const isHeld = start >= blockStart && end <= blockStart + block.length;
      if (!isHeld) {
        const read = await source.read(start, Math.min(start + BLOCK_BYTES, source.size));
        // A copy: the source may reuse its buffer.
        block = new Uint8Array(read);
        blockStart = start;
      }
      return block.subarray(start - blockStart, end - blockStart);
    },
  };
}
