import { InvalidArgumentError } from "../../errors/invalid-argument-error.js";
import { OutOfRangeError, type RefusedRange } from "../../errors/out-of-range-error.js";

/** Refuses a range that is not of whole numbers, not in order, or begins where nothing is. */
export function requireRange(range: RefusedRange): void {
  const { names, start, end, count } = range;
  requireWhole(names[0], start);
  requireWhole(names[1] ?? names[0], end);
  if (start < 1 || start > end || start > count) throw new OutOfRangeError(range);
}

/** Refuses a cap that would let nothing through. */
export function requireCap(argument: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new InvalidArgumentError(argument, value, "a whole number of at least 1");
}

function requireWhole(argument: string, value: number): void {
  if (Number.isSafeInteger(value)) return;
  throw new InvalidArgumentError(argument, value, "a whole number");
}
