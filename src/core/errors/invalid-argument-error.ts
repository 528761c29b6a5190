import { describeValue } from "./describe-value.js";
import { ContextOffloadError } from "./context-offload-error.js";

/** A caller passed a value that the function cannot work with. */
export class InvalidArgumentError extends ContextOffloadError {
  readonly code = "INVALID_ARGUMENT";

  /**
   * @param argument - Which argument, as a path into it: `messages[3].content[0]`.
   * @param received - The value that was wrong.
   * @param expected - What is expected, as a phrase that follows "must be".
   */
  constructor(
    readonly argument: string,
    readonly received: unknown,
    readonly expected: string,
  ) {
    super(`${argument} must be ${expected}, but it is ${describeValue(received)}.`);
  }
}
