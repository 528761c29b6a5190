import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  countLines,
  linesBackwards,
  linesOf,
  viewOfText,
} from "../../../../src/core/digest/line-scanner.js";
import { logText } from "./sample-texts.js";

const expectedLines = (text: string): string[] => {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
};
const TEXT = fc
  .array(fc.constantFrom("a", "bc", "\n", "\r\n", "\r", " "), { maxLength: 60 })
  .map((parts) => parts.join(""));

describe("lines", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["a\n", 1],
    ["\n", 1],
    ["a\n\n", 2],
    ["a\nb", 2],
  ])("%j has %i", (text, count) => {
    expect(countLines(text)).toBe(count);
  });

  it("are the same forwards and backwards", () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        for (const segment of viewOfText(text).segments) {
          const forwards = [...linesOf(segment)];
          expect(forwards.map((line) => line.text)).toEqual(expectedLines(text));
          expect([...linesBackwards(segment)].reverse()).toEqual(forwards);
        }
      }),
    );
  });
});

describe("the view of a large text", () => {
  it("has windows whose lines carry their true numbers", () => {
    for (const end of ["", "last line"]) {
      const text = logText(20_000) + end;
      const view = viewOfText(text);
      const lines = expectedLines(text);
      expect(view).toMatchObject({ whole: false, lines: lines.length });
      expect(view.segments.length).toBe(14);
      let previous = 0;
      for (const segment of view.segments) {
        for (const line of linesOf(segment)) {
          expect(line.text).toBe(lines[line.number - 1]);
          expect(line.number).toBeGreaterThan(previous);
          previous = line.number;
        }
      }
      expect(previous).toBe(lines.length);
    }
  });

  it("knows the length of a line that it does not hold", () => {
    const view = viewOfText(`short\n${"x".repeat(900_000)}\nend\n`);
    const last = [...linesOf(view.segments[0] ?? { firstLine: 0, text: "", cutStart: false })];
    expect(view.lines).toBe(3);
    expect(last.length).toBeGreaterThan(0);
    expect(
      [...linesOf(view.segments.at(-1) ?? { firstLine: 0, text: "", cutStart: false })].at(-1),
    ).toMatchObject({
      number: 3,
      text: "end",
    });
  });
});
