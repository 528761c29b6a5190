import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Lines } from "../../../../../src/core/lib/digest/lines.js";
import {
  sampleOfStream,
  sampleText,
  type SampledText,
} from "../../../../../src/core/lib/digest/sampled-text.js";
import { countLines } from "../../../../../src/core/lib/text/text-index.js";
import { logText } from "./sample-texts.js";

/** Every line that is there has its number. */
function expectTrueNumbers(sampled: SampledText, text: string): number {
  const all = text.split("\n");
  const lines = new Lines(sampled);
  for (let index = 0; index < lines.size; index += 1) {
    const whole = all[lines.number(index) - 1] ?? "<no such line>";
    expect(whole.slice(0, 1_000)).toBe(lines.raw(index));
    expect(lines.at(lines.start(index))).toBe(index);
  }
  return lines.size;
}

describe("the lines of a text", () => {
  it("have their numbers, whatever they are", () => {
    const part = fc.constantFrom("a\n", "\n", "bc ".repeat(90), "x".repeat(4_000), "ERROR e\n");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 120 }), (parts) => {
        const text = parts.join("");
        const sampled = sampleText(text);
        expect(sampled.lines).toBe(countLines(text));
        expect(expectTrueNumbers(sampled, text)).toBe(countLines(text));
      }),
      { numRuns: 200 },
    );
  });

  it("are known at the start and the end of a text of many megabytes", () => {
    for (const end of ["", "last line"]) {
      const text = `${"a line of a long text, with a few words\n".repeat(150_000)}${end}`;
      const sampled = sampleText(text);
      expect(sampled).toMatchObject({ lines: countLines(text), chars: text.length });
      expect(sampled.skipped).toBeGreaterThan(1_000);
      expect(expectTrueNumbers(sampled, text)).toBe(countLines(text) - sampled.skipped);
    }
  });

  it("are those at the two ends of a stream", () => {
    const text = logText(9_000);
    const head = text.slice(0, text.indexOf("\n", 100_000) + 1);
    const tail = text.slice(text.lastIndexOf("\n", text.length - 9_000) + 1);
    const tailLine = countLines(text) - countLines(tail) + 1;
    const sample = { head, tail, tailLine, chars: text.length, lines: 9_000, complete: false };
    const sampled = sampleOfStream(sample);
    expect(sampled).toMatchObject({ lines: 9_000, chars: text.length });
    const known = expectTrueNumbers(sampled, text);
    expect(known + sampled.skipped).toBe(9_000);
    expect(new Lines(sampled).notes.join()).toContain("Not looked at: lines ");
    const complete = { ...sample, head: text, tail: "", complete: true };
    expect(sampleOfStream(complete)).toEqual(sampleText(text));
  });
});
