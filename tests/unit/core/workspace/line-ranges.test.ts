import fc from "fast-check";
import { expect, it } from "vitest";
import { DEFAULTS } from "../../../../src/core/defaults.js";
import { joinRanges, linesOf } from "../../../../src/core/workspace/ledger/line-ranges.js";

const aRange = fc
  .tuple(fc.integer({ min: 1, max: 400 }), fc.nat(20))
  .map(([from, more]) => [from, from + more] as const);

it("property: ranges of lines that were read are bounded, in order, and claim no line that was not read", () => {
  fc.assert(
    fc.property(fc.array(aRange, { maxLength: 80 }), (ranges) => {
      const joined = joinRanges(ranges);
      const isIn = (all: typeof joined, line: number) =>
        all.some(([from, to]) => from <= line && line <= to);
      expect(joined.length).toBeLessThanOrEqual(DEFAULTS.ledgerRanges);
      for (const [at, [from, to]] of joined.entries()) {
        expect(from).toBeGreaterThan((joined[at - 1]?.[1] ?? -1) + 1);
        for (let line = from; line <= to; line++) expect(isIn(ranges, line)).toBe(true);
      }
      if (joined.length < DEFAULTS.ledgerRanges) {
        for (const [from, to] of ranges) expect(isIn(joined, from) && isIn(joined, to)).toBe(true);
      }
    }),
  );
});

it("takes lines out of a read by lines and of a search, and nothing out of a read by characters", () => {
  const range = { from: 5, to: 9, of: 20 };
  expect(linesOf({ range: { unit: "lines", ...range }, text: "7:x" })).toEqual([[5, 9]]);
  const text = "7-before\n8:match\n--\n19:match";
  expect(linesOf({ range: { unit: "matches", ...range }, text })).toEqual([
    [7, 8],
    [19, 19],
  ]);
  expect(linesOf({ range: { unit: "chars", ...range }, text: "8:x" })).toEqual([]);
});
