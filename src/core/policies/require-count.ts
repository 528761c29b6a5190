import { InvalidArgumentError } from "../errors/invalid-argument-error.js";

/** Refuses what is no whole number from 0 on, when a policy is made rather than when it is asked. */
export function requireCount(argument: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return;
  throw new InvalidArgumentError(argument, value, "a whole number of at least 0");
}
