import type { ByteSource } from "../text/byte-source.js";
import { BACKSLASH, UNICODE_ESCAPE, unescapeJson } from "./json-strings.js";
import { decodeWtf8 } from "../text/wtf8.js";
import { isHighSurrogate } from "../text/surrogates.js";

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
