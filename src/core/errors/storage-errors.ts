import { shortenPath } from "../lib/text/quote.js";
import { ContextOffloadError, messageOf } from "./context-offload-error.js";

/** Content could not be stored. The messages are unchanged; `cause` is the original error. */
export class WriteFailedError extends ContextOffloadError {
  readonly code = "WRITE_FAILED";

  constructor(
    readonly path: string,
    cause: unknown,
  ) {
    super(
      `Could not write the tool result to ${shortenPath(path)}: ${messageOf(cause)}. ` +
        `The messages are unchanged; call again once it is writable.`,
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

/** A store did not answer in time, or not at all. The messages are unchanged; `cause` is the last error. */
export class StoreUnreachableError extends ContextOffloadError {
  readonly code = "STORE_UNREACHABLE";

  constructor(
    /** What did not answer, without its password. */
    readonly what: string,
    readonly attempts: number,
    cause: unknown,
  ) {
    super(
      `Could not reach ${what} in ${attempts === 1 ? "one attempt" : `${attempts} attempts`}: ${messageOf(cause)}. ` +
        `Nothing is lost; call again once it is reachable.`,
      { cause },
    );
  }
}

/** A package that the store needs is not installed; `cause` is the original error. */
export class PackageMissingError extends ContextOffloadError {
  readonly code = "PACKAGE_MISSING";

  constructor(
    /** The packages of which one is needed. */
    readonly packages: readonly string[],
    cause: unknown,
  ) {
    super(
      `The store needs the package ${packages.join(" or ")}, which could not be loaded: ${messageOf(cause)}. ` +
        `Install it, or pass your own client.`,
      { cause },
    );
  }
}

/** Content was encrypted with a key that this workspace was not given. `cause` is what `keyFor` threw. */
export class KeyMissingError extends ContextOffloadError {
  readonly code = "KEY_MISSING";

  constructor(
    readonly keyId: string,
    cause?: unknown,
  ) {
    super(
      `There is no key with the id ${JSON.stringify(keyId)}, with which this content was encrypted. ` +
        `Return it from encryption.keyFor; the content itself is safe.`,
      cause === undefined ? undefined : { cause },
    );
  }
}

/** Something that the caller passed in threw an error: a stream of content, a token counter, a policy or a callback. `cause` is that error. */
export class CallerFailedError extends ContextOffloadError {
  readonly code = "CALLER_FAILED";

  constructor(
    /** What failed, by the name of its argument. */
    readonly what: string,
    cause: unknown,
  ) {
    super(`${what} threw: ${messageOf(cause)}. Nothing was stored.`, { cause });
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
