import { ContextOffloadError } from "./context-offload-error.js";

/** Why messages are not of a format. */
export interface FormatMismatch {
  readonly format: string;
  readonly why: string;
}

/** No format fits the messages, or one was named that does not exist. */
export class UnknownFormatError extends ContextOffloadError {
  readonly code = "UNKNOWN_FORMAT";

  /** @param mismatches - The formats that were tried, nearest first; the message lists them. */
  constructor(
    message: string,
    readonly mismatches: readonly FormatMismatch[] = [],
  ) {
    super([message, ...mismatches.map(({ format, why }) => `- ${format}: ${why}`)].join("\n"));
  }
}
