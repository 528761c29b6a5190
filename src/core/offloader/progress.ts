import { NO_TOTALS, type OffloadTotals } from "./report.js";

/** What an earlier call left behind, so that the next has only the new messages to look at. */
export interface Progress {
  readonly input: readonly unknown[];
  readonly output: readonly unknown[];
  readonly totals: OffloadTotals;
  readonly callNames: ReadonlyMap<string, string>;
  /** The new messages with those that were done before in their place. */
  overlay(messages: readonly unknown[], history: readonly unknown[]): readonly unknown[];
}

export const NO_PROGRESS: Progress = {
  input: [],
  output: [],
  totals: NO_TOTALS,
  callNames: new Map(),
  overlay: (messages) => messages,
};

/** What can be taken over: all of it when the history only grew, else nothing. */
export function continueFrom(progress: Progress, history: readonly unknown[]): Progress {
  const { input, output } = progress;
  if (input.length > history.length) return NO_PROGRESS;
  for (let index = 0; index < input.length; index++) {
    const message = history[index];
    // A host hands in its own messages every time, or those that the last call gave. Texts have no
    // identity to know them by.
    if (typeof message !== "object" || (message !== input[index] && message !== output[index])) {
      return NO_PROGRESS;
    }
  }
  return progress;
}

/** What this call leaves behind. */
export function recordProgress(
  history: readonly unknown[],
  output: readonly unknown[],
  totals: OffloadTotals,
  callNames: ReadonlyMap<string, string>,
): Progress {
  // Copies, since a host may let its own array grow.
  const done = output.slice();
  return {
    input: history.slice(),
    output: done,
    totals,
    callNames,
    overlay(messages, next) {
      const overlaid = messages.slice();
      let changed = messages !== next;
      for (const [index, message] of done.entries()) {
        changed ||= overlaid[index] !== message;
        overlaid[index] = message;
      }
      return changed ? overlaid : messages;
    },
  };
}
