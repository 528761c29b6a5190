import { ContextOffloadError } from "./context-offload-error.js";
import { messageOf } from "./message-of.js";

/** Stored content could not be read; `cause` is the original error. */
export class ReadFailedError extends ContextOffloadError {
  readonly code = "READ_FAILED";

  constructor(
    readonly what: string,
    cause: unknown,
  ) {
    super(`Could not read ${what}: ${messageOf(cause)}.`, { cause });
  }
}
