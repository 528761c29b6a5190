import type { Format } from "../core/engine/format.js";
import { InvalidArgumentError } from "../core/errors/argument-errors.js";

export function isFormat(value: unknown): value is Format {
  const { mismatch, read } = (value ?? {}) as Partial<Record<keyof Format, unknown>>;
  return typeof value === "object" && typeof mismatch === "function" && typeof read === "function";
}

export function requireFormat<F extends Format>(argument: string, value: F): F {
  if (isFormat(value)) return value;
  throw new InvalidArgumentError(argument, value, "a format, such as openaiChatFormat");
}
