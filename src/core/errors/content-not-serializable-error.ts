import { ContextOffloadError } from "./context-offload-error.js";
import { messageOf } from "./message-of.js";

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
