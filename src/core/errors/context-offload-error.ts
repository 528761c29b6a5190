const MARK = Symbol.for("context-offload.error");

/** Every code that an error of this package can have. Codes are stable; messages may change. */
export type ErrorCode =
  | "INVALID_ARGUMENT"
  | "INVALID_ENVIRONMENT"
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
