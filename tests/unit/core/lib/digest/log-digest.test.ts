import { describe, expect, it } from "vitest";

import { digestText } from "../../../../../src/core/digest-text.js";
import { rankErrorLine } from "../../../../../src/core/lib/digest/error-lines.js";
import { logText } from "./sample-texts.js";

describe("the digest of a log", () => {
  it("shows an error behind any number of warnings, and says that it did not count them all", () => {
    const warnings = Array.from({ length: 900 }, (_, at) => [
      at + 1,
      `2024-03-01 10:00:00.000 WARN retry ${at}`,
    ]);
    const text = logText(2_000, {
      ...(Object.fromEntries(warnings) as Record<number, string>),
      1_500: "2024-03-01 10:00:00.000 ERROR pump 3 lost pressure",
    });
    const digest = digestText(text).text;
    expect(digest).toContain("1500: 2024-03-01 10:00:00.000 ERROR pump 3 lost pressure");
    expect(digest).toMatch(/65 lines look like errors, 2 different \(sampled\):/);
    const few = digestText(text.split("\n").slice(870).join("\n")).text;
    expect(few).toContain("31 lines look like errors, 2 different:");
  });

  it("has head, tail and the errors between with their lines [DESIGN-W-digest-log]", () => {
    const text = logText(2_000, {
      700: "2024-03-01 10:00:00.000 ERROR pump 3 lost pressure",
      701: "2024-03-01 10:00:01.000 ERROR pump 4 lost pressure",
      900: "java.lang.IllegalStateException: no water",
      901: "0 errors, 0 failed",
      1_200: "WARN valve is old",
    });
    const digest = digestText(text);
    expect(digest.kind).toBe("log");
    expect(digest.text).toContain("Log, 2,000 lines.\n1: ");
    expect(digest.text).toContain("4 lines look like errors, 3 different:");
    expect(digest.text).toContain(
      "700: 2024-03-01 10:00:00.000 ERROR pump 3 lost pressure (1 more like it)",
    );
    expect(digest.text).toContain("900: java.lang.IllegalStateException: no water");
    expect(digest.text).not.toContain("901: ");
    expect(digest.text).toMatch(/… 1,\d\d\d more lines …/);
    expect(digest.text).toMatch(/\n2000: [^\n]*$/);
  });

  it("prefers errors to warnings when not all fit", () => {
    const at: Record<number, string> = { 350: "FAILED tests/pump.py::test_pressure" };
    for (let line = 100; line < 160; line += 1)
      at[line] = `WARN ${"abcdefghij".repeat(line % 9)} ${line}`;
    expect(digestText(logText(600, at)).text).toContain("350: FAILED tests/pump.py::test_pressure");
  });

  it("samples a large log and says so", () => {
    const at: Record<number, string> = {};
    for (let line = 10; line < 30_000; line += 20) at[line] = `ERROR pump ${line} failed`;
    const { text } = digestText(logText(30_000, at));
    expect(text).toContain("(sampled):");
    const quoted = [...text.matchAll(/^(\d+): ERROR pump (\d+) failed/gm)];
    expect(quoted.length).toBeGreaterThan(0);
    for (const [, number, pump] of quoted) expect(number).toBe(pump);
  });

  it("strips colours and shows the place of an error far inside a line", () => {
    const { text } = digestText(
      logText(300, { 50: `\u001b[31mstep\u001b[0m ${"- ".repeat(900)}ERROR deep inside` }),
    );
    expect(text).toContain("ERROR deep inside");
    expect(text).not.toContain("[31m");
  });

  it("knows a test runner's output", () => {
    const go =
      "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestErrorB\n--- FAIL: TestErrorB (0.00s)\n    b_test.go:9: got 1\nFAIL\nexit status 1\n";
    expect(digestText(go.repeat(20)).kind).toBe("log");
    const trace =
      'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    main()\nValueError: hour\n';
    expect(digestText(trace).kind).toBe("log");
  });
});

describe("rankErrorLine", () => {
  it.each([
    ["ERROR: disk full", 4],
    ["E       AssertionError: 1 != 2", 4],
    ["--- FAIL: TestX (0.00s)", 4],
    ["12:00:01 [error] connection refused", 3],
    ["src/a.ts(1,2): error TS2345: no", 3],
    ["  12 failed, 3 passed", 2],
    ["bash: foo: command not found", 2],
    ["warning: unused variable", 1],
    ["INFO retry after error: timeout", 1],
    ["0 errors, 0 failures", 0],
    ["no errors found", 0],
    ["Finished without error", 0],
    ["errors: 0, warnings: 0", 0],
    ['{"id":1,"error":null}', 0],
    ["--- PASS: TestParseError (0.00s)", 0],
    ["=== RUN   TestFailure", 0],
    ["✓ throws an error", 0],
    ["test_error_path ... ok", 0],
    ["all is well", 0],
  ])("%s → %i", (line, rank) => {
    expect(rankErrorLine(line)).toBe(rank);
  });
});
