import { type ByteSource, ShortSourceError } from "./byte-source.js";
import { LINE_FEED } from "./code-units.js";
import {
  scanBytes,
  unitsOfLead,
  type IndexedText,
  type Position,
  requireOwnIndex,
} from "./text-index.js";
import { requireWhole, requireRange } from "./text-range.js";
import { isSurrogatePair, SURROGATE_BYTES, decodeWtf8 } from "./wtf8.js";

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

interface TextBlock extends Position {
  /** Line breaks before it. */
  readonly breaks: number;
  /** The bytes up to the next checkpoint. */
  readonly bytes: Uint8Array;
}

async function readBlock(
  { source, index }: IndexedText,
  checkpoint: number,
  signal?: AbortSignal,
): Promise<TextBlock> {
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

/** A range of UTF-16 units, counted from 1, both ends included. */
export interface CharsRequest {
  readonly startChar: number;
  /** One past the end means the end. */
  readonly endChar: number;
  /** Maximum number of UTF-16 units to return. */
  readonly maxChars: number;
  readonly signal?: AbortSignal | undefined;
}

export interface LineCharsRequest extends CharsRequest {
  /** The line, from 1, in which `startChar` and `endChar` count. */
  readonly line: number;
}

/**
 * What was read, and its range. It never begins or ends inside a surrogate pair: where it would, it
 * begins or ends one unit earlier than requested. A pair is always returned whole, even if it is one
 * unit over the limit. So continuing at `endChar + 1` returns every unit once.
 */
export interface CharsRead {
  readonly text: string;
  readonly startChar: number;
  readonly endChar: number;
  /** Where the requested range ends, which is after `endChar` if not all of it fits. */
  readonly lastChar: number;
}

export interface LineCharsRead extends CharsRead {
  readonly line: number;
  /** How many UTF-16 units the line has, its line break not counted. */
  readonly lineChars: number;
}

/** Reads a range of characters of the whole text, line breaks included. */
export async function readChars(text: IndexedText, request: CharsRequest): Promise<CharsRead> {
  requireOwnIndex(text);
  const { bytes: byte, chars: char } = text.index;
  return readWithin(text, { byte: 0, char: 0 }, { byte, char }, "the text", request);
}

/** Reads a range of characters of one line, which may be as long as the whole text. */
export async function readLineChars(
  text: IndexedText,
  request: LineCharsRequest,
): Promise<LineCharsRead> {
  const { line, signal } = request;
  requireOwnIndex(text);
  requireRange({
    names: ["line"],
    start: line,
    end: line,
    count: text.index.lines,
    unit: "line",
    owner: "the text",
  });
  const start = await seekLineStart(text, line, signal);
  const end = await seekLineEnd(text, line, signal);
  const read = await readWithin(text, start, end, `line ${line}`, request);
  return { ...read, line, lineChars: end.char - start.char };
}

/** Reads a range that is counted from `from` and ends at `to` at the latest. */
async function readWithin(
  text: IndexedText,
  from: Position,
  to: Position,
  owner: string,
  { startChar, endChar, maxChars, signal }: CharsRequest,
): Promise<CharsRead> {
  const count = to.char - from.char;
  requireWhole("maxChars", maxChars, 1);
  requireRange({
    names: ["startChar", "endChar"],
    start: startChar,
    end: endChar,
    count,
    unit: "character",
    owner,
  });
  const start = await seekChar(text, from.char + startChar - 1, signal);
  const units = from.char + Math.min(endChar, count) - start.char;
  const last = await seekPartEnd(text, start, units, signal);
  const end = units > maxChars ? await seekPartEnd(text, start, maxChars, signal) : last;
  return {
    text: await readText(text, start, end, signal),
    startChar: start.char - from.char + 1,
    endChar: end.char - from.char,
    lastChar: last.char - from.char,
  };
}

export interface LinesRequest {
  /** The first line, from 1. */
  readonly startLine: number;
  /** The last line, included. One past the end of the text means the end. */
  readonly endLine: number;
  /** The first character of the first line, from 1, in UTF-16 units. Default: 1. */
  readonly startChar?: number | undefined;
  /** Maximum number of UTF-16 units to return. */
  readonly maxChars: number;
  readonly signal?: AbortSignal | undefined;
}

export interface LinesRead {
  /** The lines with "\n" between them and none after the last; every "\r" is kept. */
  readonly text: string;
  readonly startLine: number;
  /** The last line in `text`; it is complete unless `cut` is set. */
  readonly endLine: number;
  /** Set if the last line is long and only its start fits. */
  readonly cut?: LineCut;
}

export interface LineCut {
  readonly line: number;
  /** Up to which of its UTF-16 units it was returned; continue with `startChar` at the next one. */
  readonly shownChars: number;
  /** How many it has. */
  readonly lineChars: number;
}

/** A line that is longer than this, or than the limit, is cut rather than left for the next read. */
const LONG_LINE_CHARS = 400;

/**
 * Reads lines, as many as fit into `maxChars`; a long line that does not fit is cut, never inside a
 * surrogate pair. However large the text is, only the lines themselves and the blocks around
 * the start of the first and the end of the last line are read.
 */
export async function readLines(text: IndexedText, request: LinesRequest): Promise<LinesRead> {
  const { startLine, startChar = 1, maxChars, signal } = request;
  const { lines } = text.index;
  requireOwnIndex(text);
  requireWhole("maxChars", maxChars, 1);
  requireRange({
    names: ["startLine", "endLine"],
    start: startLine,
    end: request.endLine,
    count: lines,
    unit: "line",
    owner: "the text",
  });
  const endLine = Math.min(request.endLine, lines);
  const start =
    startChar === 1
      ? await seekLineStart(text, startLine, signal)
      : await seekInLine(text, startLine, startChar, signal);
  const end = await seekLineEnd(text, endLine, signal);
  if (end.char - start.char <= maxChars) {
    return { text: await readText(text, start, end, signal), startLine, endLine };
  }
  return readFitting(text, start, request);
}

async function readFitting(
  text: IndexedText,
  start: Position,
  { startLine, maxChars, signal }: LinesRequest,
): Promise<LinesRead> {
  const limit = await seekPartEnd(text, start, maxChars, signal);
  // One more byte: a line break right after the limit ends a line that just fits.
  const behind = { byte: Math.min(limit.byte + 1, text.index.bytes), char: limit.char + 1 };
  const bytes = await readBetween(text, start, behind, signal);
  const lastBreak = bytes.lastIndexOf(LINE_FEED);
  const line = startLine + (lastBreak === -1 ? 0 : countBreaks(bytes, lastBreak) + 1);
  const lineStart = await seekLineStart(text, line, signal);
  const lineEnd = await seekLineEnd(text, line, signal);
  const lineChars = lineEnd.char - lineStart.char;
  const shownChars = limit.char - lineStart.char;
  const isShort = shownChars <= 0 || lineChars <= Math.min(maxChars, LONG_LINE_CHARS);
  if (lastBreak !== -1 && isShort) {
    return { text: decodeWtf8(bytes.subarray(0, lastBreak)), startLine, endLine: line - 1 };
  }
  const read = { text: await readText(text, start, limit, signal), startLine, endLine: line };
  return shownChars < lineChars ? { ...read, cut: { line, shownChars, lineChars } } : read;
}

function countBreaks(bytes: Uint8Array, end: number): number {
  return scanBytes(bytes.subarray(0, end)).breaks;
}

async function seekInLine(
  text: IndexedText,
  line: number,
  startChar: number,
  signal: AbortSignal | undefined,
): Promise<Position> {
  const from = await seekLineStart(text, line, signal);
  const count = (await seekLineEnd(text, line, signal)).char - from.char;
  const owner = `line ${line}`;
  const range = { start: startChar, end: Math.max(startChar, count), count };
  requireRange({ ...range, names: ["startChar"], unit: "character", owner });
  return seekChar(text, from.char + startChar - 1, signal);
}
