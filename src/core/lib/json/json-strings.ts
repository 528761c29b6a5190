import { JsonSyntaxError } from "./json-errors.js";

/** The bytes that JSON's grammar consists of. */
export const NEWLINE = 0x0a;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

export function isWhitespace(byte: number): boolean {
  return byte === SPACE || byte === NEWLINE || byte === 0x0d || byte === 0x09;
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Unescapes the inside of a JSON string; an incomplete escape at its end is dropped. */
export function unescapeJson(inside: string): string {
  if (!inside.includes("\\")) return inside;
  return inside.replace(
    /\\(?:u([0-9a-fA-F]{4})|([^u])|u?[0-9a-fA-F]{0,3}$)/gs,
    (_all, hex?: string, plain: string = "") =>
      hex === undefined ? (ESCAPES[plain] ?? plain) : String.fromCharCode(parseInt(hex, 16)),
  );
}

/** 1 for a byte that needs no escape in a string: not a quote, a backslash or a control character. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);
/** 1 for a byte that completes an escape after a backslash. */
const SIMPLE_ESCAPE = new Uint8Array(256);
for (const char of '"\\/bfnrt') SIMPLE_ESCAPE[char.charCodeAt(0)] = 1;
/** The letter after the backslash in `\u0041`. */
export const UNICODE_ESCAPE = 0x75;

const AFTER_BACKSLASH = 5;

/** Finds the end of a string and checks its escapes, over as many chunks as it takes. */
export class JsonStringScan {
  /** True from `begin` until the closing quote was seen. */
  isOpen = false;
  /** 5 after a backslash, 4 to 1 while that many digits of a \u escape are still to come, else 0. */
  #escape = 0;

  begin(): void {
    this.isOpen = true;
  }

  /**
   * Continues at `from`; returns the index after the closing quote, or the chunk's length.
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
