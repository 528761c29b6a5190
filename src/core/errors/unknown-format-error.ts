import { ContextOffloadError } from "./context-offload-error.js";

/** Why messages are not in a format. */
export interface FormatMismatch {
  readonly format: string;
  readonly why: string;
}

/** The message format is not recognized, or a format was named that does not exist. */
export class UnknownFormatError extends ContextOffloadError {
  readonly code = "UNKNOWN_FORMAT";

  /** @param mismatches - The formats that were tried, nearest first, and why each does not fit. */
  constructor(
    message: string,
    readonly mismatches: readonly FormatMismatch[] = [],
  ) {
    super(message);
  }

  /** The error for messages that fit none of the formats tried. */
  static ofMismatches(mismatches: readonly FormatMismatch[]): UnknownFormatError {
    const [nearest, ...others] = mismatches;
    if (nearest && others.length === 0) {
      const message = `These messages are not in the format ${nearest.format}: ${nearest.why}.`;
      return new UnknownFormatError(message, mismatches);
    }
    const lines = mismatches.map(({ format, why }) => `- ${format}: ${why}`);
    const headline = "No format fits these messages.";
    return new UnknownFormatError([headline, ...lines].join("\n"), mismatches);
  }
}
