/** A function of this library was given a value that it cannot work with. */
export class ArgumentError extends Error {
  /** @param expected - What is expected, as a phrase that follows "must be". */
  constructor(
    readonly argument: string,
    readonly received: unknown,
    readonly expected: string,
  ) {
    super(`${argument} must be ${expected}`);
    this.name = "ArgumentError";
  }
}

/** Rejects anything but a whole number of at least `least`. */
export function requireWhole(argument: string, value: number, least = -Infinity): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  const bound = least === -Infinity ? "" : ` of at least ${least}`;
  throw new ArgumentError(argument, value, `a whole number${bound}`);
}

/** A requested range, and what exists. */
export interface RejectedRange {
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
  constructor(readonly range: RejectedRange) {
    super(`${range.unit}s ${range.start} to ${range.end} of ${range.count}`);
    this.name = "TextRangeError";
  }
}

/** Rejects a range that is not made of whole numbers, is not in order, or begins after the end. */
export function requireRange(range: RejectedRange): void {
  const { names, start, end, count } = range;
  requireWhole(names[0], start);
  requireWhole(names[1] ?? names[0], end);
  if (start < 1 || start > end || start > count) throw new TextRangeError(range);
}
