import { requireWhole } from "../argument-error.js";

/** A requested range, and what exists. */
export interface RefusedRange {
  /** The names of the bounds, as the caller knows them: `["startLine", "endLine"]`, `["line"]`. */
  readonly names: readonly [start: string, end?: string];
  readonly start: number;
  readonly end: number;
  /** How many there are; they are counted from 1. */
  readonly count: number;
  /** What is counted: "line" or "character". */
  readonly unit: string;
  /** What has them, for error messages: "the text", "line 7". */
  readonly owner: string;
}

/** The requested range does not exist, or its start is after its end. */
export class TextRangeError extends Error {
  constructor(readonly range: RefusedRange) {
    super(`${range.unit}s ${range.start} to ${range.end} of ${range.count}`);
    this.name = "TextRangeError";
  }
}

/** Rejects a range that is not made of whole numbers, is not in order, or begins after the end. */
export function requireRange(range: RefusedRange): void {
  const { names, start, end, count } = range;
  requireWhole(names[0], start);
  requireWhole(names[1] ?? names[0], end);
  if (start < 1 || start > end || start > count) throw new TextRangeError(range);
}
