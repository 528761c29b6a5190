import { InvalidArgumentError } from "../errors/invalid-argument-error.js";

/** Refuses what is no whole number from 0 on, when a policy is made rather than when it is asked. */
export function requireCount(argument: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return;
  throw new InvalidArgumentError(argument, value, "a whole number of at least 0");
}

/** Refuses what is no number; its range is the caller's business. */
export function requireNumber(argument: string, value: unknown): void {
  if (typeof value === "number" && !Number.isNaN(value)) return;
  throw new InvalidArgumentError(argument, value, "a number");
}

/** Refuses a single text where a list of them is meant. */
export function requireTexts(argument: string, value: unknown): void {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return;
  throw new InvalidArgumentError(argument, value, "an array of strings");
}
