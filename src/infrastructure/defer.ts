/** Runs work later; what waits does not keep the process alive. */
export function defer(work: () => void, ms: number): void {
  setTimeout(work, ms).unref();
}
