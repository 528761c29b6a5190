import { hasShape, shapeOf, type MessageShape } from "./message-shape.js";
import { NO_TOTALS, type OffloadTotals } from "./report.js";

/** What an earlier call left behind, so that the next has only the new messages to look at. */
export interface Progress {
  readonly input: readonly unknown[];
  readonly output: readonly unknown[];
  /** What the messages held, since a host may change one in place. */
  readonly shapes: {
    readonly input: readonly MessageShape[];
    readonly output: readonly MessageShape[];
  };
  readonly totals: OffloadTotals;
  readonly callNames: ReadonlyMap<string, string>;
  /** The new messages with those that were done before in their place. */
  overlay(messages: readonly unknown[], history: readonly unknown[]): readonly unknown[];
}

export const NO_PROGRESS: Progress = {
  input: [],
  output: [],
  shapes: { input: [], output: [] },
  totals: NO_TOTALS,
  callNames: new Map(),
  overlay: (messages) => messages,
};

/** What can be taken over: all of it when the history only grew, else nothing. */
export function continueFrom(progress: Progress, history: readonly unknown[]): Progress {
  const { input, output, shapes } = progress;
  if (input.length > history.length) return NO_PROGRESS;
  for (let index = 0; index < input.length; index++) {
    const message = history[index];
    // A host hands in its own messages every time, or those that the last call gave. Texts have no
    // identity to know them by.
    if (typeof message !== "object") return NO_PROGRESS;
    const isInput = message === input[index];
    if (!isInput && message !== output[index]) return NO_PROGRESS;
    const shape = (isInput ? shapes.input : shapes.output)[index];
    if (shape === undefined || !hasShape(message, shape)) return NO_PROGRESS;
  }
  return progress;
}

/** What this call leaves behind. */
export function recordProgress(
  start: Progress,
  history: readonly unknown[],
  output: readonly unknown[],
  totals: OffloadTotals,
  callNames: ReadonlyMap<string, string>,
): Progress {
  // Copies, since a host may let its own array grow.
  const done = output.slice();
  // The shapes of messages that were done before are known.
  const known = start.input.length;
  const input = start.shapes.input.slice();
  const outputShapes = start.shapes.output.slice();
  for (let index = known; index < history.length; index++) {
    const shape = shapeOf(history[index]);
    input.push(shape);
    outputShapes.push(done[index] === history[index] ? shape : shapeOf(done[index]));
  }
  return {
    input: history.slice(),
    output: done,
    shapes: { input, output: outputShapes },
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
