import { type ByteSource, readPieces } from "../text/byte-source.js";
import { isHighSurrogate, isLowSurrogate } from "../text/surrogates.js";
import { BACKSLASH, UNICODE_ESCAPE } from "./json-strings.js";
import type { ByteRange } from "./json-locate.js";

/** `\u` and its four digits. */
const UNICODE_BYTES = 6;
const NO_BYTES = new Uint8Array(0);

/** The high bits of a lead byte, by the number of bytes that follow it. */
const LEADS = [0, 0xc0, 0xe0, 0xf0];

/** What the byte after a backslash stands for: itself, unless it is one of these. */
const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) => byte);
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
