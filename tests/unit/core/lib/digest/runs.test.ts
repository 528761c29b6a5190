import { describe, expect, it } from "vitest";
import { digestText } from "../../../../../src/index.js";
import { signOf } from "../../../../../src/core/lib/digest/verdicts.js";
import * as texts from "./sample-texts.js";

const many = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${line(at)}\n`).join("");

/** What tools print last; each is behind hundreds of lines that say nothing. */
const VERDICTS: readonly (readonly [string, string])[] = [
  ["pytest", "=========== 2 failed, 80 passed, 1 skipped in 2.53s ==========="],
  ["unittest", "FAILED (failures=1, errors=2)"],
  ["jest", "Tests:       1 failed, 9 skipped, 475 passed, 485 total"],
  ["vitest", " Test Files  1 failed | 12 passed (13)"],
  ["mocha", "  3 failing"],
  ["node's runner", "# fail 2"],
  ["go test", "FAIL\tgithub.com/ada/tide\t0.220s"],
  ["cargo test", "test result: FAILED. 3 passed; 1 failed; 0 ignored; finished in 0.02s"],
  ["cargo build", "error: could not compile `tide` (lib) due to 2 previous errors"],
  ["gradle", "BUILD FAILED in 12s"],
  ["maven", "[ERROR] Tests run: 12, Failures: 1, Errors: 0, Skipped: 0"],
  ["dotnet", "Failed!  - Failed:     1, Passed:    11, Skipped:     0, Total:    12"],
  ["ctest", "83% tests passed, 2 tests failed out of 12"],
  ["phpunit", "Tests: 12, Assertions: 30, Failures: 1."],
  ["rspec", "12 examples, 1 failure"],
  ["make", "make: *** [Makefile:12: all] Error 2"],
  ["ninja", "ninja: build stopped: subcommand failed."],
  ["webpack", "webpack 5.90.0 compiled with 2 errors in 1200 ms"],
  ["tsc", "Found 3 errors in 2 files."],
  ["eslint", "✖ 12 problems (2 errors, 10 warnings)"],
  ["npm", "npm ERR! code ELIFECYCLE"],
  [
    "docker",
    'ERROR: failed to solve: process "/bin/sh -c make" did not complete successfully: exit code: 2',
  ],
  ["GitHub", "##[error]Process completed with exit code 100."],
  ["a command", "Command failed with exit code 1."],
];

describe("how a run ended", () => {
  it.each(VERDICTS)("is shown for %s", (_, verdict) => {
    const text = `${many(300, (at) => `step ${at} of the work`)}${verdict}\n`;
    const { text: digest } = digestText(text);
    expect(digest).toContain(`301: ${verdict}`);
  });

  it("is shown though a page, coverage or a table is printed before or after it", () => {
    const verdict = "Tests:       1 failed, 11 passed, 12 total";
    const page = "<div>\n  <p>no</p>\n</div>\n".repeat(60);
    const table = many(80, (at) => ` file-${at}.ts | ${at} | 80 | 91.5 | 10-12`);
    for (const text of [`${page}${verdict}\n`, `FAIL src/a.test.ts\n${table}${verdict}\n`]) {
      const { kind, text: digest } = digestText(text);
      expect(kind).toBe("build");
      expect(digest).toContain(verdict);
    }
  });

  it("has the exception of a traceback, not where it was raised", () => {
    const frames = many(
      60,
      (at) => `  File "/srv/app/part_${at}.py", line ${at}, in step\n    go(${at})`,
    );
    const error = "app.tides.TideError: no water in the harbour";
    const text = `starting\nTraceback (most recent call last):\n${frames}${error}\n`;
    expect(digestText(text).text).toContain(`123: ${error}`);
    const java = `Exception in thread "main" java.lang.IllegalStateException: no water`;
    const stack = many(80, (at) => `\tat org.tide.Part${at}.run(Part${at}.java:${at})`);
    expect(digestText(`${java}\n${stack}`).text).toContain(`1: ${java}`);
    const go = `panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\n`;
    const goStack = many(80, (at) => `main.part${at}(0xc0000)\n\t/srv/tide/main.go:${at} +0x1d`);
    expect(digestText(`${many(50, String)}${go}${goStack}exit status 2\n`).text).toContain(
      "panic: runtime error",
    );
    const rust = "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds: the len is 3";
    expect(digestText(`${many(90, (at) => `ok ${at}`)}${rust}\n`).text).toContain(
      rust.split("\n")[1],
    );
  });

  it("has the first error of a compiler, with the line that follows it", () => {
    const first = "src/main.rs:12:5: error: expected one of `,`, found `x`";
    const others = many(
      90,
      (at) => `src/part_${at}.rs:${at}:1: error: cannot find ${at}\n  | let a = ${at};`,
    );
    const text = `${many(200, (at) => `compiling ${at}`)}${first}\n  | fn main(x x)\n${others}`;
    const { text: digest } = digestText(text);
    expect(digest).toContain(`201: ${first}`);
    expect(digest).toContain("202:   | fn main(x x)");
  });

  it("has why a task of a build failed, which stands on the line after it", () => {
    const tasks = many(400, (at) => `> Task :part${at}:compileJava UP-TO-DATE`);
    const failed =
      "* What went wrong:\nExecution failed for task ':tide:health'.\n> no water in it\n";
    const end = `${many(20, (at) => `> Run with option ${at}.`)}\nBUILD FAILED in 12s\n`;
    expect(digestText(tasks + failed + end).text).toContain("403: > no water in it");
  });

  it("has the first and the last of many failures, and a failure among many warnings", () => {
    const failed = many(90, (at) => `FAILED tests/part_${at}.py::test_${at} - assert ${at}`);
    const { text } = digestText(
      `${many(400, (at) => `tests/a.py::t${at} PASSED`)}${failed}= 90 failed in 2s =\n`,
    );
    expect(text).toContain("FAILED tests/part_0.py::test_0");
    expect(text).toContain("FAILED tests/part_89.py::test_89");
    expect(text).toContain("= 90 failed in 2s =");
    const warned = `${many(900, (at) => `WARN retry ${at}`)}ERROR no water\n${many(900, (at) => `INFO ${at} done`)}`;
    expect(digestText(warned).text).toContain("901: ERROR no water");
  });

  it("has lines that say the same once, and lines of tests that differ in a number each", () => {
    const same = many(40, (at) => `app.TideError: request ${at} was refused`);
    expect(digestText(many(300, String) + same).text.match(/was refused/g)).toHaveLength(1);
    const failed = many(4, (at) => `--- FAIL: TestTide${at} (0.00s)`);
    expect(digestText(many(300, String) + failed).text.match(/FAIL: TestTide/g)).toHaveLength(4);
  });

  it("has what a failed step of a job printed last, and leaves out what follows it", () => {
    const time = (at: number): string => `2026-04-22T16:0${at % 10}:37.3365099Z `;
    const step = "##[group]Run make check";
    const error = "##[error]Process completed with exit code 2.";
    const lines = [
      ...Array.from({ length: 400 }, (_, at) => `go: downloading example.org/part-${at} v1.0.0`),
      ...[step, "##[endgroup]", "check.c:3:1: fatal error: tide.h: No such file", error],
      ...Array.from({ length: 60 }, (_, at) => `Post job cleanup, part ${at} failed to matter`),
    ];
    const { text } = digestText(lines.map((line, at) => time(at) + line).join("\n"));
    expect(text).toMatch(/^Times left out: 2026-04-22T16:00:37 to 16:0\d:37\.$/m);
    expect(text).toContain("403: check.c:3:1: fatal error: tide.h: No such file\n");
    expect(text).toContain(`404: ${error}`);
    expect(text).not.toContain("Post job cleanup");
  });

  it("has the exit status that a harness put before the output", () => {
    const header = "Chunk ID: 8369b0\nProcess exited with code 3\nOutput:\n";
    const { text } = digestText(header + many(90, (at) => `word ${at}`));
    expect(text).toContain("2: Process exited with code 3\n");
    expect(text).toContain("\n4: word 0\n");
    expect(text).not.toContain("Chunk ID");
  });

  it("has the exit status that stands first, however long the output is", () => {
    const { text } = digestText(`Exit code 1\n$ make\n${many(90, (at) => `word ${at}`)}`);
    expect(text).toContain("1: Exit code 1\n");
  });

  it("sees lines through colors and through what a carriage return has overwritten", () => {
    const bar = many(
      90,
      (at) => `\u001b[32m ${at} %\r ${at + 1} %\r\u001b[1mpart ${at} done\u001b[0m`,
    );
    const { text } = digestText(`${bar}\u001b[31mError: no water\u001b[0m\n`);
    expect(text).toContain("1: part 0 done\n");
    expect(text).toContain("91: Error: no water");
    expect(text).not.toMatch(/\[\d|%/);
  });

  it("shows the part of a long line that holds the error", () => {
    const { text } = digestText(
      texts.logText(300, { 50: `step ${"- ".repeat(900)}ERROR deep inside` }),
    );
    expect(text).toMatch(/\n50: ….*ERROR deep inside/);
  });
});

describe("what a failed run is shown by", () => {
  it("has the line after each failed test, and no package that passed", () => {
    const log = [
      ...Array.from({ length: 40 }, (_, at) => `go: downloading example.org/part${at} v0.3.0`),
      "ok  \texample.org/tide/harbour\t4.757s",
      "--- FAIL: TestTide (0.00s)",
      "    --- FAIL: TestTide/ebbs (0.00s)",
      "        tide_test.go:67: Depth() = 3, want 4",
      "--- FAIL: TestWind (0.00s)",
      "    wind_test.go:12: Speed() = 1, want 2",
      "FAIL",
      "FAIL\texample.org/tide/water\t61.673s",
      ...Array.from({ length: 12 }, (_, at) => `ok  \texample.org/tide/p${at}\t(cached)`),
      "FAIL",
    ].map((line, at) => `test\tStep\t2026-02-04T07:14:${10 + (at % 50)}.0957177Z ${line}`);
    const { text } = digestText(log.join("\n"));
    expect(text).toContain("\n44:         tide_test.go:67: Depth() = 3, want 4");
    expect(text).toContain("\n46:     wind_test.go:12: Speed() = 1, want 2");
    expect(text).not.toMatch(/\d: ok\b/);
  });

  it("has the file of what a linter found, and no line of the code around it", () => {
    const found = (at: number): string =>
      [
        `src/tab${at}.tsx:${180 + at}:8 lint/correctness/noUnusedVariables ━━━━━━━━━━━`,
        "",
        `  × This variable paths${at} is unused.`,
        "",
        "    180 │ \tconst errorCount = a.length;",
        "  > 182 │ \tconst x = 1;",
        "",
      ].join("\n");
    const log = `Exit code 1\n$ biome check\n${many(8, found)}Checked 210 files.\nFound 8 errors.\n`;
    const { text } = digestText(log.padEnd(4_000, "\n"));
    expect(text).toContain("3: src/tab0.tsx:180:8 lint/correctness/noUnusedVariables");
    expect(text).toContain("5:   × This variable paths0 is unused.");
    expect(text).not.toContain("errorCount");
  });

  it("has the first error of a compiler far before the end", () => {
    const before = many(2_000, (at) => `compiling the part ${at} of the tide`);
    const after = many(9_000, (at) => `linking the part ${at} of the tide tables`);
    const { text } = digestText(
      `${before}src/tide.c:3:1: error: 'depth' undeclared\n${after}make: *** [all] Error 2\n`,
    );
    expect(after.length).toBeGreaterThan(300_000);
    expect(text).toContain("2001: src/tide.c:3:1: error: 'depth' undeclared");
  });
});

describe("a run that passed", () => {
  const noise = (name: string): string => many(30, (at) => `[${name}] GET ${at}`);
  const thrown = `\nerror: Item 3 failed\n      at <anonymous> (/srv/a.test.ts:89:16)\n`;
  const frame = `184 |   reject: new Error("no water"),\n  ^\nerror: no water\n`;

  it.each([
    ["bun", " 1226 pass\n 0 fail\nRan 1226 tests across 56 files. [802.00ms]"],
    ["jest", "Test Suites: 3 passed, 3 total\nTests:       475 passed, 475 total"],
    ["cargo", "test result: ok. 3 passed; 0 failed; 0 ignored; finished in 0.02s"],
    ["pytest", "=========== 80 passed, 1 skipped in 2.53s ==========="],
  ])("has its verdict, not the errors that its tests printed: %s", (_, verdict) => {
    const log = `$ test\n${noise("a")}${thrown}${noise("b")}${frame}${noise("c")}`;
    const { text } = digestText(`${log}\n${verdict}\n`);
    for (const line of verdict.split("\n")) expect(text).toContain(line);
    expect(text).not.toMatch(/error|Error|anonymous/);
    expect(digestText(`${log}Exited with code 1\n${verdict}\n`).text).toContain("error: ");
  });
});

describe("what is no failure", () => {
  it.each([
    "0 errors, 0 failures",
    "no errors found",
    "Finished without errors",
    "errors: 0, warnings: 0",
    '{"id":1,"error":null}',
    "--- PASS: TestParseError (0.00s)",
    "✓ throws an error",
    "test_error_path ... ok",
    "tests/a.py::test_error PASSED",
    "=== RUN   TestErrorB",
    '  echo "Error: no such target"',
    "+ exit_on_error=1",
    "##[group]Run check-errors",
    "compiled src/error-handler.ts",
    "Downloading failure-1.0.crate",
    "INFO retry after error: timeout",
    '184 |   reject: new Error("no water"),',
  ])("%s", (line) => {
    expect(signOf(line)).toBeUndefined();
  });

  it.each([
    ["ERROR: disk full", "failed"],
    ["E       AssertionError: 1 != 2", "thrown"],
    ["--- FAIL: TestX (0.00s)", "failed"],
    ["src/a.ts(1,2): error TS2345: no", "compiler"],
    ["  12:5  error  Missing semicolon  semi", "compiler"],
    ["error[E0308]: mismatched types", "compiler"],
    ["java.lang.IllegalStateException: no water", "thrown"],
    ["Exited with code 1", "verdict"],
    ["Process exited with code 0", "good"],
    ["the server refused: Connection refused", "weak"],
  ])("but %s is", (line, sign) => {
    expect(signOf(line)).toBe(sign);
  });
});

describe("what its tool had cut", () => {
  it.each([
    "[output truncated: 12,345 more lines]",
    "... 340 lines omitted ...",
    "Output too large (120 KB). Full output saved to: out.txt",
    "<response clipped><NOTE>Output has been truncated.</NOTE>",
  ])("says so: %s", (note) => {
    const { text } = digestText(`${many(200, (at) => `word ${at}`)}${note}\n`);
    expect(text).toContain(`Its tool had cut it, see 201: ${note}`);
  });

  it("does not say so of a text that speaks of it", () => {
    const text = many(200, (at) =>
      at === 90 ? "The output is truncated by the shell." : `word ${at}`,
    );
    expect(digestText(text).text).not.toContain("had cut it");
  });
});
