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
    const odd = "ERROR connection refused";
    const digest = digestText(many(5_000, (at) => (at === 2_500 ? odd : line(at)))).text;
    expect(digest).toContain(`2501: ${odd}`);
    expect(texts.quotedLines(digest).length).toBeLessThanOrEqual(8);
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
    expect(digest).toContain("2: src/changelog.ts(104,35): error TS1343: The 'import.meta'");
    expect(digest).toMatch(/^2: .*…$/m);
    expect(digest.length).toBeLessThanOrEqual(400);
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

  it("survives 40 byte-order marks", () => {
    expect(digestText("\ufeff".repeat(40) + "hello world").text).toBe("1: hello world");
  });
});
