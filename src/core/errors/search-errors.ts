import { ContextOffloadError } from "./context-offload-error.js";
import { describeValue } from "./describe-value.js";
import { quote } from "../lib/text/quote.js";

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

/** A search found nothing before its deadline, or never ran because other searches took too long. */
export class SearchTimeoutError extends ContextOffloadError {
  readonly code = "SEARCH_TIMEOUT";

  /** @param waitedMs - How long the search waited for others, if it never ran. */
  constructor(
    readonly pattern: string,
    readonly deadlineMs: number,
    readonly scannedLines: number,
    readonly waitedMs?: number,
  ) {
    const search = `The search for ${quote(pattern)}`;
    super(
      waitedMs === undefined
        ? `${search} was stopped after ${deadlineMs} ms, ${scannedLines} lines in, without a match. ` +
            `Use a simpler pattern (no nested repetition such as (a+)+), or search for plain text ` +
            `with literal: true.`
        : `${search} was not run: it waited ${waitedMs} ms for other searches to finish. ` +
            `Its pattern may be fine; try again.`,
    );
  }
}

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
