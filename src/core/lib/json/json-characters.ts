import type { ByteSource } from "../text/byte-source.js";
import { isHighSurrogate } from "../text/quote.js";
import { decodeWtf8 } from "../text/wtf8.js";
import { JsonSyntaxError } from "./json-pointer.js";

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

const CHUNK_BYTES = 256 * 1024;

/** A range of text in a source; with JSON escapes if it is the inside of a string. */
export interface JsonStretch {
  readonly start: number;
  readonly end: number;
  readonly isEscaped: boolean;
}

export interface CharacterWindow {
  readonly text: string;
  /** How many characters the whole stretch has. */
  readonly total: number;
}

/**
 * At most `maxChars` characters of a stretch, from `offset` on, and how many it has in total. Counted
 * in UTF-16 units, after unescaping; surrogate pairs are never cut.
 */
export async function readCharacters(
  source: ByteSource,
  stretch: JsonStretch,
  offset: number,
  maxChars: number,
  signal?: AbortSignal,
): Promise<CharacterWindow> {
  const counter = new CharacterCounter(stretch, offset, offset + maxChars);
  for (let at = stretch.start; at < stretch.end; at += CHUNK_BYTES) {
    signal?.throwIfAborted();
    counter.push(await source.read(at, Math.min(at + CHUNK_BYTES, stretch.end)), at);
  }
  const { total, first, from, to } = counter;
  if (maxChars === 0 || offset >= total) return { text: "", total };
  const decoded = decodeWtf8(await source.read(from, to));
  const skipped = offset - first;
  const characters = stretch.isEscaped ? unescapeJson(decoded) : decoded;
  const text = characters.slice(skipped, skipped + maxChars);
  const isCut = offset + text.length < total;
  return { text: isCut ? withoutHalfPair(text) : text, total };
}

/** How many characters a stretch has. */
export async function countCharacters(
  source: ByteSource,
  stretch: JsonStretch,
  signal?: AbortSignal,
): Promise<number> {
  return (await readCharacters(source, stretch, 0, 0, signal)).total;
}

/** Drops a last character that is the first half of a surrogate pair, unless it is the only one. */
export function withoutHalfPair(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return text.length > 1 && isHighSurrogate(last) ? text.slice(0, -1) : text;
}

/** Counts characters by their first bytes, and finds the bytes that hold a window of them. */
class CharacterCounter {
  total = 0;
  /** The bytes of the window, and the number of the character that it begins with. */
  from = -1;
  first = 0;
  to: number;
  /** How many bytes of an escape are still to come; -1 directly after its backslash. */
  #escape = 0;

  readonly #stretch: JsonStretch;
  readonly #firstChar: number;
  readonly #endChar: number;

  constructor(stretch: JsonStretch, firstChar: number, endChar: number) {
    this.#stretch = stretch;
    this.#firstChar = firstChar;
    this.#endChar = endChar;
    this.to = stretch.end;
  }

  push(chunk: Uint8Array, base: number): void {
    const { isEscaped, end } = this.#stretch;
    const firstChar = this.#firstChar;
    const endChar = this.#endChar;
    let escape = this.#escape;
    let total = this.total;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (escape !== 0) {
        escape = escape > 0 ? escape - 1 : byte === UNICODE_ESCAPE ? 4 : 0;
        continue;
      }
      if ((byte & 0xc0) === 0x80) continue;
      const units = byte >= 0xf0 ? 2 : 1;
      if (this.from === -1 && total + units > firstChar) {
        this.from = base + at;
        this.first = total;
      }
      if (total >= endChar && this.to === end) this.to = base + at;
      total += units;
      if (isEscaped && byte === BACKSLASH) escape = -1;
    }
    this.#escape = escape;
    this.total = total;
  }
}

/**
 * Numbers, `true`, `false` and `null` as one transition table: one look-up per byte, and a scan can
 * be interrupted at any byte.
 */

/** The byte does not belong to the scalar. */
export const NO_SCALAR = 0;
const START = 1;
const MINUS = 2;
const ZERO = 3;
const INTEGER = 4;
const POINT = 5;
const FRACTION = 6;
const EXPONENT = 7;
const EXPONENT_SIGN = 8;
const EXPONENT_DIGITS = 9;
const WORD_END = 10;
const FIRST_WORD_STATE = 11;

const WORDS = ["true", "false", "null"];
const STATES = FIRST_WORD_STATE + WORDS.join("").length;

const table = new Uint8Array(STATES * 256);

function go(from: number, bytes: string, to: number): void {
  for (const char of bytes) table[from * 256 + char.charCodeAt(0)] = to;
}

const NON_ZERO = "123456789";
const DIGITS = `0${NON_ZERO}`;
go(START, "-", MINUS);
for (const from of [START, MINUS]) {
  go(from, "0", ZERO);
  go(from, NON_ZERO, INTEGER);
}
go(INTEGER, DIGITS, INTEGER);
for (const from of [ZERO, INTEGER]) go(from, ".", POINT);
for (const from of [POINT, FRACTION]) go(from, DIGITS, FRACTION);
for (const from of [ZERO, INTEGER, FRACTION]) go(from, "eE", EXPONENT);
go(EXPONENT, "+-", EXPONENT_SIGN);
for (const from of [EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS]) go(from, DIGITS, EXPONENT_DIGITS);

let free = FIRST_WORD_STATE;
for (const word of WORDS) {
  let from = START;
  for (let index = 0; index < word.length; index += 1) {
    const to = index === word.length - 1 ? WORD_END : free++;
    go(from, word.charAt(index), to);
    from = to;
  }
}

/** The state that the first byte of a scalar leads to; `NO_SCALAR` when none begins so. */
export function beginScalar(byte: number): number {
  return table[START * 256 + byte] as number;
}

/** The state after one more byte; `NO_SCALAR` when the byte does not belong to the scalar. */
export function nextScalarState(state: number, byte: number): number {
  return table[state * 256 + byte] as number;
}

/** True when the scalar may end in this state. */
export function isCompleteScalar(state: number): boolean {
  return (
    state === ZERO ||
    state === INTEGER ||
    state === FRACTION ||
    state === EXPONENT_DIGITS ||
    state === WORD_END
  );
}

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
