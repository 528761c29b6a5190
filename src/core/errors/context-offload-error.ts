import { quote, shorten } from "../lib/text/quote.js";

const SHOWN_CHARS = 60;

/** Describes a wrong value for an error message, quoting only a short part of it. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "undefined";
  if (value === null) return "null";
  if (typeof value === "string") {
    if (value === "") return "empty";
    return `the string ${quote(value, SHOWN_CHARS)}`;
  }
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object") return `an object with keys ${listKeys(value)}`;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") {
    return `the ${typeof value} ${shorten(String(value))}`;
  }
  return `a ${typeof value}`;
}

function listKeys(value: object): string {
  const keys = Object.keys(value);
  const shown = keys.slice(0, 5).map((key) => quote(key, SHOWN_CHARS));
  return `[${shown.join(", ")}${keys.length > shown.length ? ", …" : ""}]`;
}

/** The message of whatever was thrown; libraries throw strings and plain objects too. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown === "object" && thrown !== null) {
    const { message } = thrown as { message?: unknown };
    return typeof message === "string" ? message : "an object without a message was thrown";
  }
  return String(thrown);
}

const MARK = Symbol.for("context-offload.error");

/** Every code that an error of this package can have. Codes are stable; messages may change. */
export type ErrorCode =
  | "INVALID_ARGUMENT"
  | "INVALID_ENVIRONMENT"
  | "VERSION_MISMATCH"
  | "NO_TOOL_RESULT"
  | "CONTENT_NOT_SERIALIZABLE"
  | "CALLER_FAILED"
  | "WRITE_FAILED"
  | "UNSAFE_PATH"
  | "READ_FAILED"
  | "STORE_UNREACHABLE"
  | "PACKAGE_MISSING"
  | "KEY_MISSING"
  | "UNKNOWN_ARTIFACT"
  | "AMBIGUOUS_ARTIFACT"
  | "ARTIFACT_GONE"
  | "ARTIFACT_DAMAGED"
  | "OUT_OF_RANGE"
  | "INVALID_PATTERN"
  | "SEARCH_TIMEOUT"
  | "SEARCH_FAILED"
  | "TOO_MANY_READS"
  | "NOT_JSON"
  | "POINTER_NOT_FOUND"
  | "UNKNOWN_FORMAT";

/** The base of every error that this package throws. */
export abstract class ContextOffloadError extends Error {
  abstract readonly code: ErrorCode;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    // Not the name of the class, which a minifier shortens.
    Object.defineProperty(this, "name", { configurable: true, get: () => nameOf(this.code) });
    // A symbol of the global registry, so that two copies of the package know each other's errors.
    Object.defineProperty(this, MARK, { value: true });
  }

  /** True for an error of this package, also when another copy of the package threw it. */
  static isInstance(value: unknown): value is ContextOffloadError {
    return typeof value === "object" && value !== null && MARK in value;
  }
}

/** `WRITE_FAILED` is the code of a `WriteFailedError`. */
function nameOf(code: string): string {
  return `${code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Error`;
}
