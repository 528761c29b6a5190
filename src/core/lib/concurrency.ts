/** Nobody waits for what a host's function returned: if that is a promise, its failure must not end the process. */
export function ignoreRejection<T>(answer: T): T {
  if (typeof answer === "object" && answer !== null && "then" in answer) {
    Promise.resolve(answer).catch(() => undefined);
  }
  return answer;
}

/** Calls a host's function that is only told something: whatever it throws or returns changes nothing. */
export function ignoreFailure(call: () => unknown): void {
  try {
    ignoreRejection(call());
  } catch {
    // A logger that fails must not make the call fail that it is told of.
  }
}

/** Calls the function once and remembers what it returned. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The same for what takes a while and may fail; a failure is not remembered, so the next call tries again. */
export function onceResolved<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

/**
 * Maps with a limited number of concurrent calls, started in order. After a failure no further call
 * starts, and the first error is thrown once the running calls have ended, so that nothing continues
 * in the background.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  map: (item: T) => Promise<R> | R,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  const failures: unknown[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return;
      try {
        results[index] = await map(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}

/** The same for items that come one after the other. All calls are waited for, so that nothing continues in the background. */
export async function forEachConcurrently<T>(
  items: AsyncIterableIterator<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const workOn = async (): Promise<void> => {
    for await (const item of items) await work(item);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: limit }, workOn));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

/** Runs work, at most so many at a time; what waits is started in order. */
export function createGate(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < limit) running++;
    // Whoever ends passes on its place, so that no later call can take it.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** A stream that ends with the signal's reason as soon as it is aborted, even while the source is silent. */
export function stopOnAbort<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => stoppable(source[Symbol.asyncIterator](), signal) };
}

function stoppable<T>(items: AsyncIterator<T>, signal: AbortSignal): AsyncIterator<T> {
  // Nobody waits for it: a source that is silent may never answer this either.
  const release = (): void => {
    void (async () => items.return?.())().catch(() => undefined);
  };
  return {
    next: () =>
      new Promise((resolve, reject: (reason: Error) => void) => {
        const abort = (): void => {
          release();
          reject(signal.reason as Error);
        };
        if (signal.aborted) {
          abort();
          return;
        }
        signal.addEventListener("abort", abort, { once: true });
        const settled = (): void => {
          signal.removeEventListener("abort", abort);
        };
        (async () => items.next())().then(
          (item) => {
            settled();
            resolve(item);
          },
          (error: unknown) => {
            settled();
            reject(error as Error);
          },
        );
      }),
    return: async () => {
      await items.return?.();
      return { done: true, value: undefined };
    },
  };
}
