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

/** Refuses what is not among the choices; leaving it out is fine. */
export function requireChoice(argument: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.includes(value as string)) return;
  const expected = choices.map((choice) => JSON.stringify(choice)).join(" or ");
  throw new InvalidArgumentError(argument, value, expected);
}
