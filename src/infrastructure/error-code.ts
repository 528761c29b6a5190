/**
 * True for an error of the operating system with one of these codes. Checked by shape: in another
 * realm (Jest, vitest's vmThreads) such an error is not an `instanceof Error`.
 */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    typeof error.code === "string" &&
    codes.includes(error.code)
  );
}
