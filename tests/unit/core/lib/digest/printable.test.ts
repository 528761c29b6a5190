import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  clip,
  countOf,
  formatCount,
  toPrintable,
} from "../../../../../src/core/lib/digest/printable.js";
import { takeEnd, takeStart } from "../../../../../src/core/lib/text/surrogates.js";
import { isWellFormed } from "./sample-texts.js";

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
    ["grüße 日本語", "grüße 日本語"],
  ])("%j → %j", (text, expected) => {
    expect(toPrintable(text)).toBe(expected);
  });
});

describe("cutting", () => {
  it("never splits a pair", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, length) => {
        for (const cut of [takeStart(text, length), takeEnd(text, length), clip(text, length)]) {
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
