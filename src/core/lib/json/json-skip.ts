import { BACKSLASH, CLOSE_OBJECT, OPEN_OBJECT, QUOTE } from "./json-strings.js";

/** A bracket and a brace differ only in this bit, so one test covers both. */
export const BRACE_BIT = 0x20;

/**
 * Skips everything up to the matching closing bracket as fast as possible: it knows strings and
 * nesting, and checks nothing else. Any depth, no stack.
 */
export class JsonSkip {
  #depth = 0;
  #isInString = false;
  /** True if the last chunk ended with a backslash, so that the first byte of the next one is escaped. */
  #isEscaped = false;

  /** True from `begin` until the matching closing bracket. */
  get isOpen(): boolean {
    return this.#depth > 0;
  }

  /** The opening bracket was just passed. */
  begin(): void {
    this.#depth = 1;
  }

  /** Continues at `from`; returns the index after the closing bracket, or the chunk's length. */
  skip(chunk: Uint8Array, from: number): number {
    const { length } = chunk;
    let at = this.#isInString ? this.#skipString(chunk, from) : from;
    let depth = this.#depth;
    while (at < length) {
      const byte = chunk[at] as number;
      at += 1;
      if (byte === QUOTE) {
        this.#isInString = true;
        at = this.#skipString(chunk, at);
        continue;
      }
      const brace = byte | BRACE_BIT;
      if (brace === OPEN_OBJECT) depth += 1;
      else if (brace === CLOSE_OBJECT) {
        depth -= 1;
        if (depth === 0) break;
      }
    }
    this.#depth = depth;
    return at;
  }

  #skipString(chunk: Uint8Array, from: number): number {
    const { length } = chunk;
    let at = from;
    if (this.#isEscaped && at < length) {
      this.#isEscaped = false;
      at += 1;
    }
    while (at < length) {
      const byte = chunk[at] as number;
      at += 1;
      if (byte === QUOTE) {
        this.#isInString = false;
        return at;
      }
      if (byte === BACKSLASH) at += 1;
    }
    if (at > length) this.#isEscaped = true;
    return length;
  }
}
