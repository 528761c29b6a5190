import { describeValue } from "./describe-value.js";
import { ContextOffloadError } from "./context-offload-error.js";

/** A caller handed in something that the function cannot work with. */
export class InvalidArgumentError extends ContextOffloadError {
  readonly code = "INVALID_ARGUMENT";

  /**
   * @param argument - Which argument, as a path into it: `messages[3].content[0]`.
   * @param received - The value that was wrong.
   * @param expected - What would be right, to stand after "must be".
   */
  constructor(
    readonly argument: string,
    readonly received: unknown,
    readonly expected: string,
  ) {
    super(`${argument} must be ${expected}, but it is ${describeValue(received)}.`);
  }
}
