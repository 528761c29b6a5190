import { ContextOffloadError } from "./context-offload-error.js";

/** A search could not be run or finished, for a reason other than its pattern. */
export class SearchFailedError extends ContextOffloadError {
  readonly code = "SEARCH_FAILED";

  /** @param reason - Why, and what to do; a sentence without its full stop. The model sees it. */
  constructor(
    readonly reason: string,
    options?: { cause?: unknown },
  ) {
    super(`The search could not be run: ${reason}.`, options);
  }
}
