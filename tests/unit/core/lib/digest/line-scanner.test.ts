import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  linesBackwards,
  linesOf,
  sampledFromText,
} from "../../../../../src/core/lib/digest/line-scanner.js";
import { countLines } from "../../../../../src/core/lib/text/plain-text.js";
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
        const { segments } = sampledFromText(text);
        expect(segments.length > 0 || text === "").toBe(true);
        for (const segment of segments) {
          const forwards = [...linesOf(segment)];
          expect(forwards.map((line) => line.text)).toEqual(expectedLines(text));
          expect([...linesBackwards(segment)].reverse()).toEqual(forwards);
        }
      }),
    );
  });
});

describe("the sampled of a large text", () => {
  it("has windows whose lines carry their true numbers", () => {
    for (const end of ["", "last line"]) {
      const text = logText(20_000) + end;
      const sampled = sampledFromText(text);
      const lines = expectedLines(text);
      expect(sampled).toMatchObject({ whole: false, lines: lines.length });
      expect(sampled.segments.length).toBe(14);
      let previous = 0;
      for (const segment of sampled.segments) {
        for (const line of linesOf(segment)) {
          expect(line.text).toBe(lines[line.number - 1]);
          expect(line.number).toBeGreaterThan(previous);
          previous = line.number;
        }
      }
      expect(previous).toBe(lines.length);
    }
  });

  it("is smaller where the text is larger", () => {
    const held = (lines: number): number => {
      const { segments, whole } = sampledFromText(logText(lines));
      expect(whole).toBe(false);
      expect(segments).toHaveLength(14);
      return segments.reduce((sum, { text }) => sum + text.length, 0);
    };
    expect(held(8_000)).toBeGreaterThan(45_000);
    expect(held(40_000)).toBeLessThan(35_000);
  });

  it("knows the length of a line that it does not hold", () => {
    const sampled = sampledFromText(`short\n${"x".repeat(900_000)}\nend\n`);
    const last = [...linesOf(sampled.segments[0] ?? { firstLine: 0, text: "", cutStart: false })];
    expect(sampled.lines).toBe(3);
    expect(last.length).toBeGreaterThan(0);
    expect(
      [...linesOf(sampled.segments.at(-1) ?? { firstLine: 0, text: "", cutStart: false })].at(-1),
    ).toMatchObject({
      number: 3,
      text: "end",
    });
  });
});
