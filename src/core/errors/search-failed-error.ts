import { ContextOffloadError } from "./context-offload-error.js";

/** A search could not be run, or not to its end, for a reason that is not its pattern's. */
export class SearchFailedError extends ContextOffloadError {
  readonly code = "SEARCH_FAILED";

  /** @param reason - Why, and what to do; a sentence without its full stop. It is shown to the model. */
  constructor(
    readonly reason: string,
    options?: { cause?: unknown },
  ) {
    super(`The search could not be run: ${reason}.`, options);
  }
}
