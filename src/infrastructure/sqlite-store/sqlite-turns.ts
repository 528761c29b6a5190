/**
 * SQLite answers at once, so that a chain of calls to it never lets the event loop go on. After this time
 * what comes next waits for another turn of it.
 */
export const MAX_TURN_MS = 10;

const waiting: (() => void)[] = [];
let startedAt: number | undefined;

/** Runs work at once, unless others have had this turn of the event loop for long enough. */
export function inTurn<T>(work: () => T): Promise<T> {
  if (startedAt === undefined) {
    startedAt = performance.now();
    setImmediate(nextTurn);
  }
  const isMyTurn = waiting.length === 0 && performance.now() - startedAt < MAX_TURN_MS;
  return new Promise((resolve) => {
    const run = () => {
      // What the work throws rejects the inner one.
      resolve(
        new Promise<T>((settle) => {
          settle(work());
        }),
      );
    };
    if (isMyTurn) run();
    else waiting.push(run);
  });
}

function nextTurn(): void {
  if (waiting.length === 0) {
    startedAt = undefined;
    return;
  }
  startedAt = performance.now();
  setImmediate(nextTurn);
  while (performance.now() - startedAt < MAX_TURN_MS) {
    const next = waiting.shift();
    if (!next) return;
    next();
  }
}
