import { describeValue } from "./describe-value.js";
import { ContextOffloadError } from "./context-offload-error.js";

/** An environment variable holds something that is not a plain number. */
export class InvalidEnvironmentError extends ContextOffloadError {
  readonly code = "INVALID_ENVIRONMENT";

  constructor(
    readonly variable: string,
    readonly received: string,
    readonly expected: string,
  ) {
    super(
      `The environment variable ${variable} must be ${expected}, but it is ${describeValue(received)}. ` +
        `Correct it, unset it to use the default, or pass the option, which takes precedence.`,
    );
  }
}
