import { InvalidArgumentError } from "./errors/invalid-argument-error.js";

/** Refuses what is no string with something in it, naming the argument. */
export function requireText(argument: string, value: unknown, purpose: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new InvalidArgumentError(argument, value, `a non-empty string: ${purpose}`);
}

export function requireArray(argument: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new InvalidArgumentError(argument, value, "an array of messages");
}

export function requireObject(argument: string, value: unknown, kind: string): object {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new InvalidArgumentError(argument, value, kind);
}
