import { describe, expect, it } from "vitest";

import { digestText } from "../../../../../src/index.js";
import * as texts from "./sample-texts.js";

const many = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join("\n") + "\n";

describe("what digests failed to show once", () => {
  it.each([
    ["always the same", () => "line 7 value 42"],
    ["the same but for numbers", (at: number) => `line ${at} value ${3 * at}`],
  ])("the one line that differs, where the others are %s", (_, line) => {
    for (const odd of ["ERROR connection refused", "the connection to the backend was lost"]) {
      const text = many(5_000, (at) => (at === 2_500 ? odd : line(at)));
      const digest = digestText(text).text;
      expect(digest).toContain(`\n2501: ${odd}`);
      expect(digest).toMatch(/\n1: line \d+ value \d+ \(about [\d,]+ like it\)\n/);
      expect(texts.quotedLines(digest).length).toBeLessThanOrEqual(4);
    }
  });

  it("the errors of a build whose lines are longer than there is room for", () => {
    const options = "this is only allowed when the '--module' option is one of ".repeat(3);
    const text = [
      "Debugger attached.",
      `src/changelog.ts(104,35): error TS1343: The 'import.meta' meta-property: ${options}`,
      `src/main.ts(7,8): error TS1259: Module 'fs' can only be default-imported: ${options}`,
      "Waiting for the debugger to disconnect...",
      "",
    ].join("\n");
    const { kind, text: digest } = digestText(text, { budgetChars: 400 });
    expect(kind).toBe("build");
    expect(digest).toContain("\n2: src/changelog.ts(104,35): error TS1343: The 'import.meta'");
    expect(digest).toMatch(/^2: .*…$/m);
    expect(digest.length).toBeLessThanOrEqual(400);
  });

  it("names in a listing, not the folder itself", () => {
    const text = `total 776\ndrwxr-xr-x  52 ada staff 1664 Jan 15 13:10 .\ndrwxr-xr-x  15 ada staff 480 Jan 15 13:17 ..\n${many(52, (at) => `${at % 9 === 0 ? "d" : "-"}rw-r--r--@  1 ada  staff  7362 Jan  5 14:49 entry-${at}.txt`)}`;
    const { kind, text: digest } = digestText(text);
    expect(kind).toBe("files");
    expect(digest).toMatch(/^Files, 52 entries of ls -l:\n/);
    for (let at = 0; at < 52; at += 1) expect(digest).toContain(`entry-${at}.txt`);
    expect(digest).toContain("entry-9.txt/");
    expect(digest).not.toMatch(/(?:^|, )\.\.?(?:,|$)/m);
  });

  it("every folder of a list of paths that does not fit, with its count", () => {
    const text = many(
      240,
      (at) => `./packages/pkg${at % 12}/src/${"abc"[at % 3] ?? ""}/module-${at}.ts`,
    );
    const { kind, text: digest } = digestText(text);
    expect(kind).toBe("files");
    expect(digest).toContain("Files, 240 paths in 12 folders:");
    for (let at = 0; at < 12; at += 1) {
      expect(digest).toContain(
        `./packages/pkg${at}/src/${"abc"[at % 3] ?? ""}/ (20): module-${at}.ts, `,
      );
    }
    // Each name is printed whole.
    const listed = new Set(text.split("\n").map((path) => path.slice(path.lastIndexOf("/") + 1)));
    const names = digest.match(/module[^,\n]*/g) ?? [];
    expect(names.length).toBeGreaterThan(12);
    for (const name of names) expect(listed).toContain(name);
  });

  it("folders above, where there are too many folders", () => {
    const text = many(400, (at) => `src/area${at % 10}/part${at}/deep/file${at}.ts`);
    const { text: digest } = digestText(text);
    for (let at = 0; at < 10; at += 1) expect(digest).toContain(`src/area${at}/ (40):`);
  });

  it("matches per file in the output of a search", () => {
    const text = many(
      260,
      (at) =>
        `src/part${at % 13}/file${at % 26}.ts:${3 * at + 1}:  const result${at} = call(${at});`,
    );
    const { kind, text: digest } = digestText(text);
    expect(kind).toBe("matches");
    expect(digest).toMatch(/^Search output, 260 lines, 260 matches in 26 files:\n/);
    expect(digest).toContain("src/part0/file0.ts (10), src/part1/file1.ts (10), ");
    expect(digest).toContain("\n1: file0.ts:1:  const result0 = call(0);");
  });

  it("lines around matches, and matches in one file", () => {
    const around = digestText(
      "src/a.ts-11-  before\nsrc/a.ts:12:  fooBar()\nsrc/a.ts-13-  after\n--\n".repeat(9),
    );
    expect(around.kind).toBe("matches");
    expect(around.text).toContain("36 lines, 9 matches in 1 file:\nsrc/a.ts (9)");
    const one = digestText(many(40, (at) => `${7 * at + 495}:	t.Run("case_${at}", func${at}(t))`));
    expect(one.kind).toBe("matches");
    expect(one.text).toContain("40 lines, 40 matches:\n");
  });

  it("changed files of `git diff --stat`, which is not a table", () => {
    const stat = many(30, (at) => ` src/area/file-${at}.ts      | ${at + 1} ++++---`);
    const { kind, text } = digestText(
      `${stat} 30 files changed, 90 insertions(+), 12 deletions(-)\n`,
    );
    expect(kind).toBe("files");
    expect(text).toContain("30 changed files");
    expect(text).toContain("30 files changed, 90 insertions(+), 12 deletions(-)");
    for (let at = 0; at < 30; at += 1) expect(text).toContain(`file-${at}.ts`);
  });

  it("a script as a script, not as Markdown with headings", () => {
    const script = `#!/usr/bin/env bash\n# Wrapper script\n#\n# Usage: wrapper.sh <args>\n\nset -euo pipefail\n\n# Determine the directory\nPROJECT_DIR="$(pwd)"\n\n# Run it\nexec go run "$PROJECT_DIR/main.go" "$@"\n`;
    expect(digestText(script).kind).toBe("code");
  });

  it("settings with comments as they are, not as Markdown", () => {
    const yaml = many(
      20,
      (at) => `# About setting ${at}\nsetting-${at}: ${at}\nother_${at}:\n  - value: x${at}`,
    );
    expect(digestText(yaml).kind).not.toBe("markdown");
  });

  it("the errors, not only how many they are", () => {
    const errors = [
      "src/a.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.",
      "src/b.ts(3,1): error TS2304: Cannot find name 'foo'.",
      "src/c.ts(99,7): error TS2345: Argument of type 'x' is not assignable.",
    ];
    const text = `> tsc\n\n${many(200, (at) => `src/file${at}.ts compiled`)}${errors.join("\n")}\n\nFound 3 errors in 3 files.\n`;
    const { kind, text: digest } = digestText(text);
    expect(kind).toBe("build");
    for (const error of [...errors, "Found 3 errors in 3 files."]) expect(digest).toContain(error);
  });

  it("thresholds of coverage that were missed", () => {
    const rows = many(80, (at) => ` file-${at}.ts | ${at} | 80 | 91.5 | 10-12`);
    const missed = 'Jest: "global" coverage threshold for lines (90%) not met: 78.4%';
    const text = `PASS src/a.test.ts\nPASS src/b.test.ts\n${rows}${missed}\nTests:       12 passed, 12 total\n`;
    expect(digestText(text).text).toContain(missed);
  });

  it("no codes of colors, whole or in half", () => {
    const text = many(
      300,
      (at) => `\u001b[1;31mstep\u001b[0m ${at} \u001b[38;5;200mfooBar${at}\u001b[0m ok`,
    );
    const { text: digest } = digestText(text);
    expect(digest).not.toMatch(/\[\d|\dm\w/);
    expect(digest).not.toContain("\u001b");
    expect(digest).toContain("1: step 0 fooBar0 ok");
  });

  it("content instead of reminders and headers of tools", () => {
    const reminder =
      "<system-reminder>\nConsider whether this fileIsMalware or not.\n</system-reminder>";
    const { text } = digestText(`${texts.TYPESCRIPT}\n${reminder}\n`);
    expect(text).not.toMatch(/fileIsMalware|system-reminder/);
    expect(text).toContain("export class Archive");
    expect(digestText(reminder).text).toContain("fileIsMalware");
    const header =
      "Chunk ID: 8369b0\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n";
    const table = digestText(header + texts.csvText(20));
    expect(table.kind).toBe("table");
    expect(table.text).toContain('\n6: 1,"Buoy, no. 1",Ems,0.5\n');
    expect(table.text).not.toContain("Chunk ID");
  });

  it.each(["→", "\t", ": ", "| "])("the file's own numbers (%j)", (separator) => {
    const text = texts.GO.split("\n")
      .map((line, at) => `${String(at + 175).padStart(6)}${separator}${line}`)
      .join("\n");
    const { kind, text: digest } = digestText(text);
    expect(kind).toBe("code");
    expect(digest).toContain("file lines 175–193 (line 1 here is line 175 of the file)");
    expect(digest).toContain("\n9: func (h *Harbour) Depth(hour int) (float64, error) {\n");
  });

  it("nothing of a listing that starts at 1, whose numbers are ours", () => {
    const text = many(60, (at) => `${at + 1}\tconst value${at} = ${at};`);
    expect(digestText(text).text).toMatch(/^Code, 60 lines\.\n1: const value0 = 0;\n/);
  });

  it("survives 40 byte-order marks", () => {
    expect(digestText("\ufeff".repeat(40) + "hello world").text).toBe(
      "Text, 1 line.\n1: hello world",
    );
  });

  it("what repeats in each line only once", () => {
    const text = many(
      90,
      (at) => `test	UNKNOWN STEP	2026-02-04T07:1${at % 10}:56Z step${at} did_a_thing`,
    );
    const { kind, text: digest } = digestText(text);
    expect(kind).toBe("log");
    expect(digest).toContain(
      'Most lines begin with "test\tUNKNOWN STEP\t2026-02-04T07:", left out here.',
    );
  });
});
