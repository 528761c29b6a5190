import { type ByteSource, readPieces, type ByteRange } from "../text/byte-source.js";
import { isHighSurrogate, isLowSurrogate } from "../text/code-units.js";
import { decodeWtf8, encodeWtf8 } from "../text/wtf8.js";
import { BACKSLASH, UNICODE_ESCAPE } from "./json-walker.js";

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

/** `\u` and its four digits. */
const UNICODE_BYTES = 6;

const NO_BYTES = new Uint8Array(0);

/** The high bits of a lead byte, by the number of bytes that follow it. */
const LEADS = [0, 0xc0, 0xe0, 0xf0];

/** What the byte after a backslash stands for: itself, unless it is one of these. */
export const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) => byte);
for (const [name, char] of ["b\b", "f\f", "n\n", "r\r", "t\t"]) {
  ESCAPED[(name as string).charCodeAt(0)] = (char as string).charCodeAt(0);
}

/** The text of a JSON string as WTF-8, piece by piece; `range` is the inside of its quotes. */
export async function* decodeJsonString(
  source: ByteSource,
  range: ByteRange,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = NO_BYTES;
  for await (const piece of readPieces(source, signal, range)) {
    const decoded = decode(join(rest, piece), false);
    rest = decoded.rest;
    yield decoded.bytes;
  }
  yield decode(rest, true).bytes;
}

/** Decodes bytes whose escapes were checked; an escape that may continue in the next piece is the rest. */
function decode(bytes: Uint8Array, isLast: boolean): { bytes: Uint8Array; rest: Uint8Array } {
  const { length } = bytes;
  // No escape is shorter than what it stands for.
  const out = new Uint8Array(length);
  let filled = 0;
  let at = 0;
  while (at < length) {
    const byte = bytes[at] as number;
    if (byte !== BACKSLASH) {
      out[filled++] = byte;
      at += 1;
      continue;
    }
    const next = bytes[at + 1];
    if (next === undefined) break;
    if (next !== UNICODE_ESCAPE) {
      out[filled++] = ESCAPED[next] as number;
      at += 2;
      continue;
    }
    const end = at + UNICODE_BYTES;
    if (end > length) break;
    const unit = unitAt(bytes, at);
    if (!isHighSurrogate(unit)) {
      filled = putCodePoint(out, filled, unit);
      at = end;
      continue;
    }
    // The other half of a pair may be the next escape, which may be in the next piece.
    const mayPair = (bytes[end] ?? BACKSLASH) === BACKSLASH;
    if (mayPair && end + UNICODE_BYTES > length && !isLast) break;
    const low = mayPair && bytes[end + 1] === UNICODE_ESCAPE ? unitAt(bytes, end) : 0;
    const isPair = isLowSurrogate(low);
    const point = isPair ? 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00) : unit;
    filled = putCodePoint(out, filled, point);
    at = isPair ? end + UNICODE_BYTES : end;
  }
  return { bytes: out.subarray(0, filled), rest: new Uint8Array(bytes.subarray(at)) };
}

function unitAt(bytes: Uint8Array, escape: number): number {
  const digits = bytes.subarray(escape + 2, escape + UNICODE_BYTES);
  return parseInt(String.fromCharCode(...digits), 16);
}

/** Writes a code point, or a lone surrogate as WTF-8; returns the position after it. */
function putCodePoint(out: Uint8Array, at: number, point: number): number {
  if (point < 0x80) {
    out[at] = point;
    return at + 1;
  }
  const count = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  out[at] = (LEADS[count] as number) | (point >> (6 * count));
  for (let i = 1; i <= count; i += 1) out[at + i] = 0x80 | ((point >> (6 * (count - i))) & 0x3f);
  return at + count + 1;
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/** The text of a key from its raw bytes between the quotes. */
export function decodeKey(raw: Uint8Array): string {
  const text = decodeWtf8(raw);
  return raw.includes(BACKSLASH) ? unescapeJson(text) : text;
}

/** A test for one key, which decodes only keys that could be the same one written with escapes. */
export function createKeyTest(key: string): (raw: Uint8Array | undefined) => boolean {
  const wanted = encodeWtf8(key);
  return (raw) => {
    if (raw === undefined) return false;
    if (isEqual(raw, wanted)) return true;
    // The same key written with escapes is always longer.
    return raw.length > wanted.length && raw.includes(BACKSLASH) && decodeKey(raw) === key;
  };
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}
