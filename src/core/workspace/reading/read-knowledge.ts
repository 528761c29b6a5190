import {
  readChars,
  readLineChars,
  readLines,
  seekLineEnd,
  seekLineStart,
} from "../../lib/text/read-text.js";
import { blockLines } from "../../lib/text/text-blocks.js";
import { requireRange } from "../../lib/text/text-range.js";
import type { ReadTarget } from "./open-text.js";
import type { ReadOptions, NextCall, Reading } from "./reading.js";

/** Options of `getKnowledgeById` and `getKnowledgeByLines`: a range of characters, both ends included. */
export interface RangeOptions extends ReadOptions {
  /** The first character, counted from 1. Default 1. */
  readonly startChar?: number | undefined;
  /** The last character, inclusive. Default: the end, or as much as fits. */
  readonly endChar?: number | undefined;
}

/** As much as fits, from the first line on. */
export async function readFromStart(target: ReadTarget): Promise<Reading> {
  const { lines } = target.text.index;
  if (lines === 0) return answer(target, { text: "", unit: "lines", from: 0, to: 0, of: 0 });
  return readLineRange(target, 1, lines);
}

export async function readLineRange(
  target: ReadTarget,
  startLine: number,
  endLine: number,
  startChar?: number,
): Promise<Reading> {
  const { text, maxChars, signal } = target;
  const read = await readLines(text, { startLine, startChar, endLine, maxChars, signal });
  const range = { text: read.text, unit: "lines", of: text.index.lines } as const;
  const place = { ...range, from: read.startLine, to: read.endLine };
  const last = Math.min(endLine, text.index.lines);
  if (read.cut) {
    const { line, shownChars, lineChars } = read.cut;
    return answer(target, place, {
      left: { unit: "chars", count: lineChars - shownChars },
      next: lineCall(target, line, last, { start_char: shownChars + 1 }),
      note: behind(line, last),
    });
  }
  if (read.endLine >= last) return answer(target, place);
  return answer(target, place, {
    left: { unit: "lines", count: last - read.endLine },
    next: lineCall(target, read.endLine + 1, last),
  });
}

/** How much is read from a line on where nothing tells an end. */
const PASSAGE_CHARS = 2_000;

/** From a line to the end of the block that begins there or that it is in; where there is none, a passage. */
export async function readBlock(target: ReadTarget, startLine: number): Promise<Reading> {
  const { text, maxChars, signal } = target;
  const { lines } = text.index;
  requireRange({
    ...{ names: ["startLine"], start: startLine, end: startLine, count: lines },
    ...{ unit: "line", owner: "the text" },
  });
  const request = { startLine, endLine: lines, maxChars, signal };
  const read = await readLines(text, request);
  const count = blockLines(read.text.split("\n"));
  // A line by itself is hardly what somebody asked for who named no end.
  if (count !== undefined && count > 1) {
    return readLineRange(target, startLine, startLine + count - 1);
  }
  const passage = await readLineRange(
    { ...target, maxChars: Math.min(maxChars, PASSAGE_CHARS) },
    startLine,
    request.endLine,
  );
  // A line alone may be longer than a passage.
  return passage.range.to === startLine ? readLineRange(target, startLine, startLine) : passage;
}

/** A range of characters of one line. */
export async function readColumns(
  target: ReadTarget,
  line: number,
  { startChar = 1, endChar }: RangeOptions,
): Promise<Reading> {
  const { text, maxChars, signal } = target;
  const { lines } = text.index;
  const names = ["startLine", "endLine"] as const;
  requireRange({ names, start: line, end: line, count: lines, unit: "line", owner: "the text" });
  const toChar = endChar ?? Math.max(startChar, await countLineChars(target, line));
  const request = { line, startChar, endChar: toChar, maxChars, signal };
  const read = await readLineChars(text, request);
  const place = {
    text: read.text,
    unit: "chars",
    from: read.startChar,
    to: read.endChar,
    of: read.lineChars,
  } as const;
  const { lastChar } = read;
  if (read.endChar >= lastChar) return answer(target, place);
  const end = endChar === undefined ? {} : { end_char: lastChar };
  return answer(target, place, {
    left: { unit: "chars", count: lastChar - read.endChar },
    next: lineCall(target, line, line, { start_char: read.endChar + 1, ...end }),
  });
}

async function countLineChars({ text, signal }: ReadTarget, line: number): Promise<number> {
  const start = await seekLineStart(text, line, signal);
  const end = await seekLineEnd(text, line, signal);
  return end.char - start.char;
}

/** Mentions the lines that were requested after a line that takes several reads. */
function behind(line: number, last: number): string | undefined {
  if (last <= line) return undefined;
  return last === line + 1
    ? `Line ${line} goes on, and line ${last} follows.`
    : `Line ${line} goes on, and lines ${line + 1} to ${last} follow.`;
}

export async function readCharRange(
  target: ReadTarget,
  startChar: number,
  endChar: number,
): Promise<Reading> {
  const { text, maxChars, record, view } = target;
  const read = await readChars(text, { startChar, endChar, maxChars, signal: target.signal });
  const of = text.index.chars;
  const place = {
    text: read.text,
    unit: "chars",
    from: read.startChar,
    to: read.endChar,
    of,
  } as const;
  const last = read.lastChar;
  if (read.endChar >= last) return answer(target, place);
  return answer(target, place, {
    left: { unit: "chars", count: last - read.endChar },
    next: {
      tool: "get_knowledge_by_id",
      input: {
        artifact_id: record.artifactId,
        start_char: read.endChar + 1,
        end_char: last,
        ...(view === "raw" ? { view } : {}),
      },
    },
  });
}

interface ReadSpan {
  readonly text: string;
  readonly unit: Reading["range"]["unit"];
  readonly from: number;
  readonly to: number;
  readonly of: number;
}

interface Rest {
  readonly left?: NonNullable<Reading["leftOut"]>;
  readonly next?: NextCall;
  readonly note?: string | undefined;
}

function answer({ record, view }: ReadTarget, place: ReadSpan, rest: Rest = {}): Reading {
  const { text, ...range } = place;
  return {
    artifactId: record.artifactId,
    sessionId: record.sessionId,
    view,
    text,
    range,
    leftOut: rest.left,
    next: rest.next,
    note: rest.note,
  };
}

function lineCall(
  { record, view }: ReadTarget,
  startLine: number,
  endLine: number,
  columns: Readonly<Record<string, number>> = {},
): NextCall {
  return {
    tool: "get_knowledge_by_lines",
    input: {
      artifact_id: record.artifactId,
      start_line: startLine,
      end_line: endLine,
      ...columns,
      ...(view === "raw" ? { view } : {}),
    },
  };
}
