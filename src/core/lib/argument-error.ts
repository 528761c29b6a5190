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
