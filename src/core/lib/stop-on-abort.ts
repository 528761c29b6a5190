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
