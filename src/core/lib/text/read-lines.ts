import { requireWhole } from "../argument-error.js";
import { decodeWtf8 } from "./wtf8.js";
import { requireOwnIndex, type IndexedText, type Position } from "./text-index.js";
import { readBetween, readText } from "./read-bytes.js";
import { requireRange } from "./text-range.js";
import { LINE_FEED, scanBytes } from "./scan-bytes.js";
import { seekLineEnd, seekLineStart, seekPartEnd } from "./seek.js";

export interface LinesRequest {
  /** The first line, from 1. */
  readonly startLine: number;
  /** The last line, included. One past the end of the text means the end. */
  readonly endLine: number;
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
  /** Set if the first line alone exceeds the limit, so that `text` is only its start. */
  readonly cut?: LineCut;
}

export interface LineCut {
  readonly line: number;
  /** How many of its UTF-16 units were returned; continue with `readLineChars` at the next one. */
  readonly shownChars: number;
  /** How many it has. */
  readonly lineChars: number;
}

/**
 * Reads whole lines, as many as fit into `maxChars`; a first line that does not fit is cut, never
 * inside a surrogate pair. However large the text is, only the lines themselves and the blocks around
 * the start of the first and the end of the last line are read.
 */
export async function readLines(text: IndexedText, request: LinesRequest): Promise<LinesRead> {
  const { startLine, maxChars, signal } = request;
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
  const start = await seekLineStart(text, startLine, signal);
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
  const lineEnd = await seekLineEnd(text, startLine, signal);
  if (lineEnd.char > limit.char) {
    const shownChars = limit.char - start.char;
    return {
      text: await readText(text, start, limit, signal),
      startLine,
      endLine: startLine,
      cut: { line: startLine, shownChars, lineChars: lineEnd.char - start.char },
    };
  }
  // One more byte: a line break right after the limit ends a line that just fits.
  const behind = { byte: Math.min(limit.byte + 1, text.index.bytes), char: limit.char + 1 };
  const bytes = await readBetween(text, start, behind, signal);
  const lastBreak = bytes.lastIndexOf(LINE_FEED);
  const whole = lastBreak === -1 ? bytes : bytes.subarray(0, lastBreak);
  return { text: decodeWtf8(whole), startLine, endLine: startLine + scanBytes(whole).breaks };
}
