import { ContextOffloadError } from "./context-offload-error.js";

/** Content was queried as JSON, but is not JSON. */
export class NotJsonError extends ContextOffloadError {
  readonly code = "NOT_JSON";

  constructor(
    /** The byte at which it stops being JSON, from 0. */
    readonly offset: number,
    /** What is wrong there. */
    readonly reason: string,
    options?: { cause?: unknown },
  ) {
    super(
      `The content is not JSON: ${reason} at byte ${offset}. ` +
        `It cannot be read by pointer; read it by lines or search it with a pattern instead.`,
      options,
    );
  }
}
