import { describeValue } from "./describe-value.js";
import { ContextOffloadError } from "./context-offload-error.js";

/** The pattern is not a valid regular expression, or cannot be searched for. */
export class InvalidPatternError extends ContextOffloadError {
  readonly code = "INVALID_PATTERN";

  /**
   * @param pattern - The pattern as it was passed in.
   * @param reason - What is wrong with it and, where known, what to write instead; a sentence without
   *   its full stop.
   */
  constructor(
    readonly pattern: string,
    readonly reason: string,
  ) {
    super(
      `The pattern, ${describeValue(pattern)}, cannot be searched for: ${reason}. ` +
        `Correct it as a JavaScript regular expression, or pass literal: true to search for it as plain text.`,
    );
  }
}
