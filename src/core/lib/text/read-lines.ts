import { requireWhole } from "../argument-error.js";
import { decodeWtf8 } from "./wtf8.js";
import { requireOwnIndex, type IndexedText, type Position } from "./text-index.js";
import { readBetween, readText } from "./read-bytes.js";
import { requireRange } from "./text-range.js";
import { LINE_FEED, scanBytes } from "./scan-bytes.js";
import { seekChar, seekLineEnd, seekLineStart, seekPartEnd } from "./seek.js";

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
