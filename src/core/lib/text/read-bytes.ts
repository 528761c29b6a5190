import { decodeWtf8 } from "./wtf8.js";
import { type ByteSource, ShortSourceError } from "./byte-source.js";
import type { IndexedText, Position } from "./text-index.js";

const PIECE_BYTES = 262_144;
/** A unit takes at most three bytes: a character of four bytes has two units. */
const MAX_BYTES_PER_UNIT = 3;
/** How many bytes that are not part of a character are read before the rest is dropped. */
const STRAY_BYTES = 65_536;

/** The bytes from `start` up to `end`, all of them, read in pieces of at most 256 kB. */
export async function readBytes(
  source: ByteSource,
  start: number,
  end: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(Math.max(end - start, 0));
  let filled = 0;
  while (filled < bytes.length) {
    signal?.throwIfAborted();
    const from = start + filled;
    const piece = await source.read(from, Math.min(from + PIECE_BYTES, end));
    if (piece.length === 0) throw new ShortSourceError(start, end, from);
    bytes.set(piece, filled);
    filled += piece.length;
  }
  return bytes;
}

/** The bytes between two positions, bounded by the number of characters even if they are not text. */
export function readBetween(
  { source }: IndexedText,
  from: Position,
  to: Position,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const most = (to.char - from.char) * MAX_BYTES_PER_UNIT + STRAY_BYTES;
  return readBytes(source, from.byte, Math.min(to.byte, from.byte + most), signal);
}

/** The text between two positions. */
export async function readText(
  text: IndexedText,
  from: Position,
  to: Position,
  signal?: AbortSignal,
): Promise<string> {
  return decodeWtf8(await readBetween(text, from, to, signal));
}
