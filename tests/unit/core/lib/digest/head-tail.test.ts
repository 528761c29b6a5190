import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { quoteEnds } from "../../../../../src/core/lib/digest/head-tail.js";
import { sampledFromText } from "../../../../../src/core/lib/digest/line-scanner.js";
import { quotedLines } from "./sample-texts.js";

describe("quoteEnds", () => {
  it("quotes no line twice, keeps their order and counts what is between [DESIGN-W-digest-text]", () => {
    const lines = fc.array(fc.constantFrom("a", "", "some words here", "x".repeat(300)), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(lines, fc.integer({ min: 60, max: 2_000 }), (texts, budgetChars) => {
        const sampled = sampledFromText(texts.join("\n"));
        const { head, gap, tail } = quoteEnds(sampled, { budgetChars, headShare: 0.5 });
        const first = quotedLines(head.join("\n")).map(({ number }) => number);
        const last = quotedLines(tail.join("\n")).map(({ number }) => number);
        const all = [...first, ...last];
        expect(all).toEqual([...new Set(all)].sort((a, b) => a - b));
        const missing = (last[0] ?? sampled.lines + 1) - (first.at(-1) ?? 0) - 1;
        const words = texts
          .map((text, index) => ({ text, number: index + 1 }))
          .filter(({ text }) => text !== "");
        const quoted = new Set(all);
        if (gap === "") expect(words.every(({ number }) => quoted.has(number))).toBe(true);
        else expect(gap).toBe(`… ${missing} more ${missing === 1 ? "line" : "lines"} …`);
      }),
      { numRuns: 500, seed: 3 },
    );
  });
});
