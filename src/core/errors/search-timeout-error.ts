import { ContextOffloadError } from "./context-offload-error.js";

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
    const search = `The search for ${JSON.stringify(pattern.slice(0, 200))}`;
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
