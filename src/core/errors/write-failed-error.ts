import { ContextOffloadError } from "./context-offload-error.js";
import { messageOf } from "./message-of.js";

/** Content could not be stored. The messages are unchanged; `cause` is the original error. */
export class WriteFailedError extends ContextOffloadError {
  readonly code = "WRITE_FAILED";

  constructor(
    readonly path: string,
    cause: unknown,
  ) {
    super(
      `Could not write the tool result to ${path}: ${messageOf(cause)}. ` +
        `The messages are unchanged; call again once the folder is writable.`,
      { cause },
    );
  }
}
