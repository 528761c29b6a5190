import { ContextOffloadError } from "./context-offload-error.js";

/** A search found nothing before its deadline, most likely because the pattern backtracks. */
export class SearchTimeoutError extends ContextOffloadError {
  readonly code = "SEARCH_TIMEOUT";

  constructor(
    readonly pattern: string,
    readonly deadlineMs: number,
    readonly scannedLines: number,
  ) {
    super(
      `The search for ${JSON.stringify(pattern.slice(0, 200))} was stopped after ${deadlineMs} ms, ` +
        `${scannedLines} lines in, without a match. Use a simpler pattern (no nested repetition such as ` +
        `(a+)+), or search the text as it stands with literal: true.`,
    );
  }
}
