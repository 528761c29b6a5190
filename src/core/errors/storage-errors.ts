import { ContextOffloadError } from "./context-offload-error.js";
import { shortenPath } from "../lib/text/quote.js";
import { messageOf } from "./describe-value.js";

/** Content could not be stored. The messages are unchanged; `cause` is the original error. */
export class WriteFailedError extends ContextOffloadError {
  readonly code = "WRITE_FAILED";

  constructor(
    readonly path: string,
    cause: unknown,
  ) {
    super(
      `Could not write the tool result to ${shortenPath(path)}: ${messageOf(cause)}. ` +
        `The messages are unchanged; call again once the folder is writable.`,
      { cause },
    );
  }
}

/** Stored content could not be read; `cause` is the original error. */
export class ReadFailedError extends ContextOffloadError {
  readonly code = "READ_FAILED";

  constructor(
    readonly what: string,
    cause: unknown,
  ) {
    super(`Could not read ${shortenPath(what)}: ${messageOf(cause)}.`, { cause });
  }
}

/** Something that the caller passed in threw an error: a stream of content, or a token counter. `cause` is that error. */
export class CallerFailedError extends ContextOffloadError {
  readonly code = "CALLER_FAILED";

  constructor(
    /** What failed, by the name of its argument. */
    readonly what: string,
    cause: unknown,
  ) {
    super(`${what}, which the caller passed in, failed: ${messageOf(cause)}. Nothing was stored.`, {
      cause,
    });
  }
}

/** Using this path could write or read outside of the given folder. */
export class UnsafePathError extends ContextOffloadError {
  readonly code = "UNSAFE_PATH";

  constructor(
    readonly path: string,
    readonly why: string,
  ) {
    super(
      `Refused to use ${shortenPath(path)}: ${why}. Remove it or choose another output folder.`,
    );
  }
}

/** The content of a tool result is not a JSON value: it has a cycle or a BigInt, or is nested too deep. */
export class ContentNotSerializableError extends ContextOffloadError {
  readonly code = "CONTENT_NOT_SERIALIZABLE";

  constructor(cause: unknown) {
    super(
      `The content of a tool result cannot be written as JSON: ${messageOf(cause)}. ` +
        `Pass a string, or an array of blocks that the vendor's API would accept.`,
      { cause },
    );
  }
}
