import { InvalidArgumentError } from "./errors/invalid-argument-error.js";

/** A whole number that an option gives, or the default. */
export function readCount(
  option: string,
  given: number | undefined,
  fallback: number,
  least = 1,
): number {
  if (given === undefined) return fallback;
  if (Number.isSafeInteger(given) && given >= least) return given;
  throw new InvalidArgumentError(option, given, `a whole number of at least ${least}`);
}
