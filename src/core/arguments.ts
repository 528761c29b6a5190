import { InvalidArgumentError } from "./errors/argument-errors.js";
import { ContextOffloadError, describeValue } from "./errors/context-offload-error.js";
import { CallerFailedError } from "./errors/storage-errors.js";
import { ignoreRejection } from "./lib/concurrency.js";
import { nonEmptyText } from "./lib/json/plain-json.js";
import { distance, nearestNames } from "./lib/text/nearest-names.js";
import type { CountTokens } from "./lib/tokens/estimate-tokens.js";

/** Checks of what a caller passes in. Each throws an `InvalidArgumentError` that names the argument. */

export function requireText(argument: string, value: unknown, purpose: string): string {
  const text = nonEmptyText(value);
  if (text !== undefined) return text;
  throw new InvalidArgumentError(argument, value, `a non-empty string (${purpose})`);
}

/** A string that may be empty. */
export function requireString(argument: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new InvalidArgumentError(argument, value, "a string");
}

export function requireFunction(argument: string, value: unknown, expected: string): void {
  if (typeof value !== "function") throw new InvalidArgumentError(argument, value, expected);
}

/** The content of a tool result: text, blocks, or an object that a tool returned. */
export function requireContent(argument: string, value: unknown): void {
  if (typeof value === "string" || (typeof value === "object" && value !== null)) return;
  throw new InvalidArgumentError(
    argument,
    value,
    "a string, an array of content blocks or an object",
  );
}

/** The options of a call that can be aborted; a signal that is not one would fail only when it is asked. */
export function requireOptions<Options extends { readonly signal?: AbortSignal | undefined }>(
  options: Options | undefined,
): Partial<Options> {
  if (options === undefined) return {};
  requireObject("options", options, "an object, or omitted");
  const signal = options.signal as Partial<AbortSignal> | null | undefined;
  if (!signal || typeof signal.throwIfAborted === "function") return options;
  throw new InvalidArgumentError("signal", signal, "an AbortSignal, or omitted");
}

export function requireArray(
  argument: string,
  value: unknown,
  expected = "an array of messages",
): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new InvalidArgumentError(argument, value, expected);
}

export function requireObject(argument: string, value: unknown, expected: string): object {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new InvalidArgumentError(argument, value, expected);
}

/** The names of a function's options; the type makes sure that none is missing. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: true };

/**
 * Rejects an option that is nearly spelled like one that exists, which would be silently ignored.
 * Anything else may be there for another function: hosts pass objects on.
 */
export function rejectMisspelled<Options extends object>(
  options: Options,
  names: OptionNames<Options>,
): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    const [near = ""] = nearestNames(name, Object.keys(names), 1);
    const edits = distance(name.toLowerCase(), near.toLowerCase());
    if (edits > Math.max(1, name.length / 3)) continue;
    const message = `Unknown option \`${name}\`. Did you mean \`${near}\`?`;
    throw new InvalidArgumentError(name, value, `spelled ${near}, or omitted`, message);
  }
}

/** One of the choices, or `undefined`. */
export function requireChoice(argument: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.includes(value as string)) return;
  const expected = choices.map((choice) => JSON.stringify(choice)).join(" or ");
  throw new InvalidArgumentError(argument, value, expected);
}

/** A whole number; required when there is no fallback. */
export function requireCount(
  argument: string,
  value: number | undefined,
  fallback: number | undefined,
  min = 1,
): number {
  const count = value === undefined ? fallback : value;
  if (Number.isSafeInteger(count) && (count as number) >= min) return count as number;
  throw new InvalidArgumentError(argument, value, `a whole number of at least ${min}`);
}

/** A number; its range is checked only when `min` is given. */
export function requireNumber(argument: string, value: unknown, min?: number): number {
  if (typeof value === "number" && !Number.isNaN(value)) {
    if (min === undefined || (value >= min && Number.isFinite(value))) return value;
  }
  const expected = min === undefined ? "a number" : `a number of at least ${min}`;
  throw new InvalidArgumentError(argument, value, expected);
}

/** An array of strings, where a single string would be an easy mistake. */
export function requireStrings(
  argument: string,
  value: unknown,
  expected = "an array of strings",
): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw new InvalidArgumentError(argument, value, expected);
}

/** A function of the host's. What it throws gets a code, unless it has one. */
export function guardHost<Args extends readonly unknown[], Answer>(
  what: string,
  callback: (...args: Args) => Answer,
): (...args: Args) => Answer {
  return (...args) => {
    try {
      return ignoreRejection(callback(...args));
    } catch (cause) {
      // A policy asks for tokens, and the host's counter may be what failed.
      if (ContextOffloadError.isInstance(cause)) throw cause;
      throw new CallerFailedError(what, cause);
    }
  };
}

/** A function that the host may pass as an option: checked at once, and guarded when it is called. */
export function hostCallback<Args extends readonly unknown[], Answer>(
  option: string,
  callback: ((...args: Args) => Answer) | undefined,
): ((...args: Args) => Answer) | undefined {
  if (callback === undefined) return undefined;
  requireFunction(option, callback, "a function, or omitted");
  return guardHost(option, callback);
}

const EXPECTED = "a function that returns a number of at least 0, not a promise";

/** A host's token counter, whose answers are checked: a wrong one would spoil decisions and manifests. */
export function checkedCounter(countTokens: CountTokens): CountTokens {
  requireFunction("countTokens", countTokens, EXPECTED);
  const count = guardHost("countTokens", countTokens);
  return (text) => {
    const tokens: unknown = count(text);
    if (typeof tokens === "number" && tokens >= 0 && tokens < Infinity) return tokens;
    const returned = tokens instanceof Promise ? "a Promise" : describeValue(tokens);
    const message = `countTokens must return a number of at least 0, synchronously; it returned ${returned}.`;
    throw new InvalidArgumentError("countTokens", tokens, EXPECTED, message);
  };
}
