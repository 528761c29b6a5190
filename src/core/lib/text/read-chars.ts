import { requireWhole } from "../argument-error.js";
import { requireOwnIndex, type IndexedText, type Position } from "./text-index.js";
import { readText } from "./read-bytes.js";
import { requireRange } from "./text-range.js";
import { seekChar, seekLineEnd, seekLineStart, seekPartEnd } from "./seek.js";

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
  const units = Math.min(from.char + Math.min(endChar, count) - start.char, maxChars);
  const end = await seekPartEnd(text, start, units, signal);
  return {
    text: await readText(text, start, end, signal),
    startChar: start.char - from.char + 1,
    endChar: end.char - from.char,
  };
}
