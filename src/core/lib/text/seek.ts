import type { IndexedText, Position } from "./text-index.js";
import { readBytes } from "./read-bytes.js";
import { LINE_FEED, scanBytes, unitsOfLead } from "./scan-bytes.js";
import { isSurrogatePair, SURROGATE_BYTES } from "./surrogates.js";

/** Where line `line` begins, for a line that exists. */
export async function seekLineStart(
  text: IndexedText,
  line: number,
  signal?: AbortSignal,
): Promise<Position> {
  if (line === 1) return { byte: 0, char: 0 };
  const before = await seekLineEnd(text, line - 1, signal);
  return { byte: before.byte + 1, char: before.char + 1 };
}

/** Where line `line` ends: before its line break, or at the end of the text. */
export async function seekLineEnd(
  text: IndexedText,
  line: number,
  signal?: AbortSignal,
): Promise<Position> {
  const { breaks } = text.index.checkpoints;
  // The wanted break comes after the last checkpoint with fewer than `line` breaks before it.
  const block = await readBlock(text, countBelow(breaks, line) - 1, signal);
  let at = -1;
  for (let left = line - block.breaks; left > 0; left--) {
    at = block.bytes.indexOf(LINE_FEED, at + 1);
    if (at === -1) return endOf(text);
  }
  return { byte: block.byte + at, char: block.char + scanBytes(block.bytes.subarray(0, at)).chars };
}

/**
 * The position with `units` UTF-16 units before it; where that would be inside a surrogate pair, the
 * position before the pair.
 */
export async function seekChar(
  text: IndexedText,
  units: number,
  signal?: AbortSignal,
): Promise<Position> {
  if (units >= text.index.chars) return endOf(text);
  const block = await readBlock(
    text,
    countBelow(text.index.checkpoints.chars, units + 1) - 1,
    signal,
  );
  let { char } = block;
  let at = 0;
  for (; at < block.bytes.length; at++) {
    const width = unitsOfLead(block.bytes[at] ?? 0);
    if (char + width > units) break;
    char += width;
  }
  return beforePair(text, { byte: block.byte + at, char }, signal);
}

/**
 * The end of a part that begins at `start` and has `units` UTF-16 units: one less where it would end
 * inside a surrogate pair, but one more where it would be empty.
 */
export async function seekPartEnd(
  text: IndexedText,
  start: Position,
  units: number,
  signal?: AbortSignal,
): Promise<Position> {
  const end = await seekChar(text, start.char + units, signal);
  return end.char > start.char ? end : seekChar(text, start.char + units + 1, signal);
}

interface Block extends Position {
  /** Line breaks before it. */
  readonly breaks: number;
  /** The bytes up to the next checkpoint. */
  readonly bytes: Uint8Array;
}

async function readBlock(
  { source, index }: IndexedText,
  checkpoint: number,
  signal?: AbortSignal,
): Promise<Block> {
  const { bytes, chars, breaks } = index.checkpoints;
  const byte = bytes[checkpoint] ?? 0;
  const end = bytes[checkpoint + 1] ?? index.bytes;
  return {
    byte,
    char: chars[checkpoint] ?? 0,
    breaks: breaks[checkpoint] ?? 0,
    bytes: await readBytes(source, byte, end, signal),
  };
}

function endOf({ index }: IndexedText): Position {
  return { byte: index.bytes, char: index.chars };
}

/** If a pair was stored as two surrogates of three bytes each, moves from between them to before the pair. */
async function beforePair(
  { source, index }: IndexedText,
  place: Position,
  signal?: AbortSignal,
): Promise<Position> {
  const byte = place.byte - SURROGATE_BYTES;
  if (index.wellFormed || byte < 0) return place;
  const around = await readBytes(source, byte, Math.min(byte + 5, index.bytes), signal);
  return isSurrogatePair(around) ? { byte, char: place.char - 1 } : place;
}

/** How many of the ascending `values` are less than `limit`. */
function countBelow(values: Float64Array, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
