/** Prints the totals of the test runner's report: `tests: N passed, N failed`. */
import { readFile } from "node:fs/promises";

const [file = "reports/vitest.json"] = process.argv.slice(2);
try {
  const report = JSON.parse(await readFile(file, "utf8"));
  // A suite that could not be loaded has no tests; it counts as one failed test.
  const broken = report.testResults.filter(
    (/** @type {{ status: string, assertionResults: unknown[] }} */ suite) =>
      suite.status === "failed" && suite.assertionResults.length === 0,
  ).length;
  console.log(`tests: ${report.numPassedTests} passed, ${report.numFailedTests + broken} failed`);
} catch (error) {
  console.error(`No report of the test runner in ${file}: ${String(error)}`);
  console.log("tests: 0 passed, 1 failed");
  process.exitCode = 1;
}
