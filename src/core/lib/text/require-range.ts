import { requireWhole } from "../argument-error.js";
import { TextRangeError, type RefusedRange } from "./text-range-error.js";

/** Refuses a range that is not of whole numbers, is not in order, or begins beyond the end. */
export function requireRange(range: RefusedRange): void {
  const { names, start, end, count } = range;
  requireWhole(names[0], start);
  requireWhole(names[1] ?? names[0], end);
  if (start < 1 || start > end || start > count) throw new TextRangeError(range);
}
