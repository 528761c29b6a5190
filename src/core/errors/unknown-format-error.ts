import { ContextOffloadError } from "./context-offload-error.js";

/** The messages are of no dialect that is known, or one was named that is not. */
export class UnknownFormatError extends ContextOffloadError {
  readonly code = "UNKNOWN_FORMAT";

  /** @param refusals - Which formats were tried, and why each does not fit. */
  constructor(
    message: string,
    readonly refusals: readonly { readonly format: string; readonly why: string }[],
  ) {
    super(message);
  }
}
