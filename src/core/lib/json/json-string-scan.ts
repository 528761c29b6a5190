import { BACKSLASH, QUOTE } from "./json-bytes.js";
import { JsonSyntaxError } from "./json-syntax-error.js";

/** 1 for a byte that stands for itself inside a string: no quote, no backslash, no control. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);
/** 1 for a byte that is a whole escape with the backslash before it. */
const SIMPLE_ESCAPE = new Uint8Array(256);
for (const char of '"\\/bfnrt') SIMPLE_ESCAPE[char.charCodeAt(0)] = 1;
const UNICODE_ESCAPE = 0x75;

const AFTER_BACKSLASH = 5;

/** Finds the end of a string and checks its escapes, over as many chunks as it takes. */
export class JsonStringScan {
  /** True from `begin` until the closing quote was seen. */
  isOpen = false;
  /** 5 after a backslash, 4 to 1 while that many digits of a \u escape are due, else 0. */
  #escape = 0;

  begin(): void {
    this.isOpen = true;
  }

  /**
   * Goes on from `from`; returns the index after the closing quote, or the chunk's length.
   * @param base - Where the chunk begins in the source, for errors.
   */
  scan(chunk: Uint8Array, from: number, base: number): number {
    const { length } = chunk;
    let at = from;
    while (at < length) {
      if (this.#escape > 0) {
        this.#stepEscape(chunk[at] as number, base + at);
        at += 1;
        continue;
      }
      for (;;) {
        while (at < length && PLAIN[chunk[at] as number] === 1) at += 1;
        const isSimple = chunk[at] === BACKSLASH && SIMPLE_ESCAPE[chunk[at + 1] ?? 0] === 1;
        if (!isSimple) break;
        at += 2;
      }
      if (at === length) break;
      const byte = chunk[at] as number;
      if (byte === BACKSLASH) this.#escape = AFTER_BACKSLASH;
      else if (byte !== QUOTE) throw JsonSyntaxError.unexpected(byte, base + at);
      else {
        this.isOpen = false;
        return at + 1;
      }
      at += 1;
    }
    return at;
  }

  #stepEscape(byte: number, offset: number): void {
    const isRight =
      this.#escape < AFTER_BACKSLASH
        ? isHexDigit(byte)
        : byte === UNICODE_ESCAPE || SIMPLE_ESCAPE[byte] === 1;
    if (!isRight) throw JsonSyntaxError.unexpected(byte, offset);
    const isDone = this.#escape === AFTER_BACKSLASH && byte !== UNICODE_ESCAPE;
    this.#escape = isDone ? 0 : this.#escape - 1;
  }
}

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}
