import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  sampleOfStream,
  sampleText,
  type SampledText,
} from "../../../../../src/core/lib/digest/sampled-text.js";
import { scanText } from "../../../../../src/core/lib/digest/scan-text.js";
import { countLines } from "../../../../../src/core/lib/text/text-index.js";
import { logText } from "./sample-texts.js";

/** Every line that was sampled stands at its number. */
function expectTrueNumbers(sampled: SampledText, text: string): number {
  const lines = text.split("\n");
  const scanned = scanText(sampled).lines.filter(({ isPart }) => !isPart);
  for (const { number, start, indent, end } of scanned) {
    const whole = lines[number - 1] ?? "<no such line>";
    expect(whole.startsWith(sampled.text.slice(start - indent, end))).toBe(true);
  }
  return scanned.length;
}

describe("sampling", () => {
  it("takes a short text as it is", () => {
    const text = "a\nb\nc";
    expect(sampleText(text, 100)).toEqual({
      text,
      pieces: [{ from: 0, to: 5, line: 1 }],
      chars: 5,
      lines: 3,
      whole: true,
    });
  });

  it("takes start, end and slices of a long one, with true line numbers", () => {
    for (const end of ["", "last line"]) {
      const text = logText(20_000) + end;
      const sampled = sampleText(text, 20_000);
      expect(sampled).toMatchObject({ whole: false, lines: countLines(text), chars: text.length });
      const held = sampled.pieces.reduce((sum, { from, to }) => sum + to - from, 0);
      expect(held).toBeLessThan(25_000);
      expect(sampled.pieces.length).toBeGreaterThanOrEqual(8);
      expect(expectTrueNumbers(sampled, text)).toBeGreaterThan(200);
      expect(sampled.pieces.at(-1)?.to).toBe(text.length);
    }
  });

  it("has true numbers whatever the lines are", () => {
    const part = fc.constantFrom("a\n", "\n", "bc ".repeat(900), "x".repeat(4_000), "ERROR e\n");
    fc.assert(
      fc.property(fc.array(part, { minLength: 20, maxLength: 120 }), (parts) => {
        const text = parts.join("");
        const sampled = sampleText(text, 1);
        expect(sampled.lines).toBe(countLines(text));
        expectTrueNumbers(sampled, text);
        let end = 0;
        for (const { from, to } of sampled.pieces) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(to).toBeGreaterThan(from);
          end = to;
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ["names a failure", "2024-03-01 10:00:00.123 ERROR  worker-9 is out of fuel"],
    [
      "is unlike the others in length",
      "worker-9 is gone, and nobody knows where it went to this time around",
    ],
  ])("looks at a line that it would skip if it %s", (_, odd) => {
    for (const at of [3_333, 9_876, 17_001]) {
      const sampled = sampleText(logText(20_000, { [at]: odd }), 20_000);
      const held = sampled.pieces.map(({ from, to }) => sampled.text.slice(from, to)).join("");
      expect(held).toContain(odd);
    }
  });

  it("takes the two ends of a stream", () => {
    const text = logText(9_000);
    const head = text.slice(0, text.indexOf("\n", 100_000) + 1);
    const tail = text.slice(text.lastIndexOf("\n", text.length - 9_000) + 1);
    const tailLine = countLines(text) - countLines(tail) + 1;
    const sample = { head, tail, tailLine, chars: text.length, lines: 9_000, complete: false };
    const sampled = sampleOfStream(sample, 20_000);
    expect(sampled).toMatchObject({ whole: false, lines: 9_000, chars: text.length });
    expectTrueNumbers(sampled, text);
    const complete = { ...sample, head: text, tail: "", complete: true };
    expect(sampleOfStream(complete, 20_000)).toEqual(sampleText(text, 20_000));
  });
});
