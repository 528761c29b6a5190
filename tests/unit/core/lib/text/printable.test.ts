import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  clip,
  clipMiddle,
  countOf,
  formatCount,
  toPrintable,
} from "../../../../../src/core/lib/text/printable.js";
import { takeEnd, takeStart } from "../../../../../src/core/lib/text/code-units.js";
import { hiddenCodePoints, isWellFormed } from "../digest/sample-texts.js";

describe("toPrintable", () => {
  it.each([
    ["\u001b[1;31mred\u001b[0m", "red"],
    ["\u001b]0;title\u0007text", "text"],
    ["a\u0000b\u0008c\rd", "a·b·c·d"],
    ["left\u202eright\u2066", "left·right·"],
    ["zero\u200bwidth\ufeff", "zerowidth"],
    ["tab\tand\nfeed", "tab\tand\nfeed"],
    ["lone \ud83d and 😀", "lone \ufffd and 😀"],
    ["tag\u{e0041}", "tag"],
    ["heart \u2764\ufe0f", "heart \u2764"],
    ["filled \u115f\u1160\u3164\u2800\u034f\uffa0\u{1d173}", "filled "],
    ["grüße 日本語", "grüße 日本語"],
  ])("%j → %j", (text, expected) => {
    expect(toPrintable(text)).toBe(expected);
  });

  it("shows no character of Unicode that cannot be seen", () => {
    const hidden = hiddenCodePoints();
    expect(hidden.length).toBeGreaterThan(4_000);
    for (const codePoint of hidden) {
      const character = String.fromCodePoint(codePoint);
      expect(toPrintable(`a${character}\nb`), codePoint.toString(16)).toMatch(/^a[·\ufffd]?\nb$/);
    }
  });
});

describe("cutting", () => {
  it("never splits a pair", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(60), (text, length) => {
        const cuts = [takeStart, takeEnd, clip, clipMiddle].map((cut) => cut(text, length));
        for (const cut of cuts) {
          expect(isWellFormed(cut)).toBe(true);
          expect(cut.length).toBeLessThanOrEqual(length);
        }
      }),
    );
    expect(takeStart("a😀", 2)).toBe("a");
    expect(takeEnd("😀a", 2)).toBe("a");
  });
});

describe("counts", () => {
  it("have separators that no locale changes", () => {
    expect([0, 12, 999, 1_000, 12_345, 1_234_567].map(formatCount)).toEqual([
      "0",
      "12",
      "999",
      "1,000",
      "12,345",
      "1,234,567",
    ]);
    expect([countOf(1, "row"), countOf(2_000, "row")]).toEqual(["1 row", "2,000 rows"]);
  });
});
