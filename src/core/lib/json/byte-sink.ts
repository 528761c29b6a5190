const LINE_BREAK = 0x0a;
const SPACE = 0x20;
/** Below this many bytes a loop is faster than a native copy. */
const SHORT_RUN = 32;
const INDENT = 2;

/** Bytes that grow at their end. */
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

  /** What was written; the sink begins anew. */
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
