import type { TestContext } from "vitest";

/** Skips the test on Windows, and says why in the report. */
export function skipOnWindows(test: TestContext, why: string): void {
  if (process.platform === "win32") test.skip(`not on Windows: ${why}`);
}
