import { describe, expect, it } from "vitest";
import { digestText } from "../../../../../src/index.js";
import { rankTrouble } from "../../../../../src/core/lib/digest/trouble.js";
import * as texts from "./sample-texts.js";
import { HTML } from "./sample-texts.js";

describe("the digest of code", () => {
  it.each([
    ["TypeScript", texts.TYPESCRIPT, ["3: export interface Station", "13: export class Archive"]],
    ["Python", texts.PYTHON, ["6: class Harbour", "17: def main()"]],
    ["Go", texts.GO, ["5: type Harbour struct", "9: func (h *Harbour) Depth(hour int)"]],
    ["Rust", texts.RUST, ["3: pub struct Harbour", "13: pub(crate) fn depth(hour: u32)"]],
    ["Java", texts.JAVA, ["5: public class Harbour", "12: public double depth(int hour)"]],
    ["Ruby", texts.RUBY, ["3: module Tide"]],
  ])("has declarations of %s, also where little fits", (_language, text, expected) => {
    const plain = text + "    return call(x);\n".repeat(900);
    for (const declaration of expected) {
      expect(digestText(text).text).toContain(`\n${declaration}`);
      expect(digestText(plain).text).toContain(`\n${declaration}`);
    }
  });

  it("shows code as it stands", () => {
    expect(digestText(texts.TYPESCRIPT).text).toContain("Promise<void>");
  });

  it("shows all lines where they fit, and no names then", () => {
    const { text } = digestText(texts.GO);
    expect(texts.quotedLines(text).length).toBe(
      texts.GO.split("\n").filter((line) => line.trim() !== "").length,
    );
    expect(text).not.toContain("Names from line");
  });
});
describe("the digest of Markdown", () => {
  it("prefers headings, the higher the more, but not those in code", () => {
    const words = "one two three four five six seven eight nine ten".split(" ");
    const part = (word: string): string =>
      `## Part ${word}\n\n${words.map((other) => `### Detail ${other} of ${word}\n\nwords and ${other} words of ${word}\n\n`).join("")}`;
    const fence = "```sh\n# not a heading\n```\n";
    const { kind, text } = digestText(`# Book\n\n${fence}${words.map(part).join("")}`);
    expect(kind).toBe("markdown");
    expect(text).toContain("\n1: # Book\n");
    for (const word of words) expect(text).toContain(`: ## Part ${word}\n`);
  });
});
describe("the digest of a log", () => {
  it("has what repeats once, with its count, and the errors with their lines", () => {
    const text = texts.logText(200, {
      70: "2024-03-01 10:00:00.000 ERROR pump 3 lost pressure",
      71: "2024-03-01 10:00:01.000 ERROR pump 4 lost pressure",
      90: "java.lang.IllegalStateException: no water",
      91: "0 errors, 0 failed",
    });
    const digest = digestText(text);
    expect(digest.kind).toBe("log");
    expect(digest.text).toMatch(/^Log, 200 lines\.\n1: .* \(195 like it\)\n/);
    expect(digest.text).toContain("70: 2024-03-01 10:00:00.000 ERROR pump 3 lost pressure");
    expect(digest.text).toContain("90: java.lang.IllegalStateException: no water");
  });

  it("shows an error among many warnings", () => {
    const at: Record<number, string> = { 350: "FAILED tests/pump.py::test_pressure" };
    for (let line = 100; line < 160; line += 1)
      at[line] = `WARN ${"abcdefghij".repeat(line % 9)} ${line}`;
    expect(digestText(texts.logText(600, at)).text).toContain(
      "350: FAILED tests/pump.py::test_pressure",
    );
    const warnings = Array.from({ length: 900 }, (_, line) => [line + 1, `WARN retry ${line}`]);
    const many = {
      ...(Object.fromEntries(warnings) as Record<number, string>),
      1_500: "ERROR no water",
    };
    expect(digestText(texts.logText(2_000, many)).text).toContain("1500: ERROR no water");
  });

  it("shows the part of a long line that holds the error", () => {
    const { text } = digestText(
      texts.logText(300, { 50: `step ${"- ".repeat(900)}ERROR deep inside` }),
    );
    expect(text).toMatch(/\n50: ….*ERROR deep inside/);
  });

  it("knows the output of tests", () => {
    const go =
      "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestErrorB\n--- FAIL: TestErrorB (0.00s)\n    b_test.go:9: got 1\nFAIL\nexit status 1\n";
    const { kind, text } = digestText(go.repeat(20));
    expect(kind).toBe("build");
    expect(text).toContain("--- FAIL: TestErrorB (0.00s) (19 like it)");
    expect(text).not.toContain("=== RUN");
  });
});
describe("rankTrouble", () => {
  it.each([
    ["ERROR: disk full", 3],
    ["E       AssertionError: 1 != 2", 3],
    ["--- FAIL: TestX (0.00s)", 3],
    ["src/a.ts(1,2): error TS2345: no", 3],
    ["  12:5  error  Missing semicolon  semi", 3],
    ["3 errors, 0 failures: ERROR in main", 2],
    ["  12 failed, 3 passed", 2],
    ["warning: unused variable", 1],
    ["INFO retry after error: timeout", 0.5],
    ["0 errors, 0 failures", 0],
    ["no errors found", 0],
    ["Finished without errors", 0],
    ["errors: 0, warnings: 0", 0],
    ['{"id":1,"error":null}', 0],
    ['"isError": false}, annotations=None)] isError=False', 0],
    ["isError=False ValueError: bad", 2],
    ["--- PASS: TestParseError (0.00s)", 0],
    ["✓ throws an error", 0],
    ["test_error_path ... ok", 0],
  ])("%s → %d", (line, rank) => {
    expect(rankTrouble(line)).toBe(rank);
  });
});
describe("the digest of a search", () => {
  const search = (matches: number) =>
    Array.from({ length: matches }, (_, at) => [
      `src/file_${at}.ts-${at + 10}-  const before_${at} = another_name_${at};`,
      `src/file_${at}.ts:${at + 11}:  call_of(${at});`,
    ]).flat();

  it("shows matches rather than the lines around them, if there are enough", () => {
    const { kind, text } = digestText(search(60).join("\n"), { budgetChars: 1_200 });
    expect(kind).toBe("matches");
    expect(text).toMatch(/^\d+: file_\d+\.ts:\d+: {2}call_of/m);
    expect(text).not.toMatch(/^\d+: file_\d+\.ts-\d+-/m);
  });

  it("shows the lines around few matches", () => {
    const { text } = digestText(search(5).join("\n"), { budgetChars: 1_000 });
    expect(text).toMatch(/^\d+: file_\d+\.ts-\d+-/m);
  });
});
describe("text that another program wrote", () => {
  it("has names without the letter of a written line break", () => {
    const fields = Array.from({ length: 40 }, (_, at) => `\\nfield_name_${at}: some words here`);
    const { text } = digestText(`[Content(text='${fields.join("")}')]`, { budgetChars: 500 });
    expect(text).toContain(" field_name_");
    expect(text).not.toContain(" nfield_name_");
  });

  it("does not show a bracket as its first or last line", () => {
    const body = Array.from({ length: 80 }, (_, at) => `item_name_${at} of other_group_${at % 7}`);
    const { text } = digestText(["Output of a run", "{", ...body, "}"].join("\n"));
    expect(text).not.toMatch(/^\d+: [{}]$/m);
  });
});
describe("the digest of a diff", () => {
  it("names files with their changed lines, and shows what changed", () => {
    const { kind, text } = digestText(texts.DIFF);
    expect(kind).toBe("diff");
    expect(text.split("\n").slice(0, 3)).toEqual([
      "Diff, 18 lines, 2 files, 3 hunks:",
      "1: src/tide.ts +3 -2",
      "13: old.txt +0 -1",
    ]);
    expect(text).toContain("\n18: -gone");
  });

  it("knows a diff without git's headers", () => {
    const { text } = digestText("--- a.txt\t2024\n+++ b.txt\t2024\n@@ -1 +1 @@\n-x\n+y\n");
    expect(text).toContain("1: b.txt +1 -1");
  });

  it("prefers changed lines to those around them", () => {
    const around = Array.from({ length: 200 }, (_, at) => ` context_line_${at}()`).join("\n");
    const { text } = digestText(
      `diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1,200 +1,201 @@\n${around}\n+changed_line()\n`,
    );
    expect(text).toContain("\n205: +changed_line()");
  });
});

describe("the digest of HTML", () => {
  it("has the title and the headings, not what is hidden", () => {
    const { kind, text } = digestText(HTML);
    expect(kind).toBe("html");
    expect(text).toContain("Title: Tides & harbours\n");
    expect(text).toContain("\n10: h1 Tides today\n13: h2 Ems – Leer <north>\n");
    expect(text).toContain("Text begins: Tides today Low water at noon.");
    expect(text).not.toContain("not me");
    expect(text).not.toContain("nor me");
  });

  it("finds a page behind a fetcher's first line, and a part of a page", () => {
    expect(digestText(`Contents of https://example.org:\n${HTML}`).kind).toBe("html");
    expect(digestText("<div><p>a</p><ul><li>b</li></ul></div>\n".repeat(20)).kind).toBe("html");
    expect(digestText("<note>\n<to>Ada</to>\n</note>\n").kind).toBe("text");
  });

  it("reads the start of a large page and says so", () => {
    const page = `<html>${"<h2>Station</h2>\n<p>deep</p>\n".repeat(20_000)}</html>`;
    const { text } = digestText(page);
    expect(text).toContain(" (sampled: the first 28,672 chars).\n1: h2 Station\n3: h2 Station");
    expect(text).toMatch(/… [\d,]+ more headings/);
  });

  it("is looked for in one pass, whatever blank or open comment stands before it", () => {
    // Each further mark doubled the time once; 5,000 of them would outlast any test run.
    for (const start of ["\ufeff", " ", "<!--", "<?xml "]) {
      expect(digestText(`${start.repeat(5_000)}x`).text).not.toBe("");
    }
  });
});
