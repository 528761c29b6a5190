/** A function of this library was given a value that it cannot work with. */
export class ArgumentError extends Error {
  /** @param expected - What would be right, to stand after "must be". */
  constructor(
    readonly argument: string,
    readonly received: unknown,
    readonly expected: string,
  ) {
    super(`${argument} must be ${expected}`);
    this.name = "ArgumentError";
  }
}

/** Refuses what is not a whole number, or is less than `least`. */
export function requireWhole(argument: string, value: number, least = -Infinity): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  const bound = least === -Infinity ? "" : ` of at least ${least}`;
  throw new ArgumentError(argument, value, `a whole number${bound}`);
}
