const MARK = Symbol.for("context-offload.error");

/** Every code that an error of this package can have. Codes are stable; messages may change. */
export type ErrorCode =
  | "INVALID_ARGUMENT"
  | "INVALID_ENVIRONMENT"
  | "NO_TOOL_RESULT"
  | "CONTENT_NOT_SERIALIZABLE"
  | "WRITE_FAILED"
  | "UNSAFE_PATH"
  | "READ_FAILED"
  | "UNKNOWN_ARTIFACT"
  | "AMBIGUOUS_ARTIFACT"
  | "ARTIFACT_GONE"
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
    this.name = new.target.name;
    // A symbol of the global registry, so that two copies of the package recognize each other's errors.
    Object.defineProperty(this, MARK, { value: true });
  }

  /** True for an error of this package, also when another copy of the package threw it. */
  static isInstance(value: unknown): value is ContextOffloadError {
    return typeof value === "object" && value !== null && MARK in value;
  }
}
