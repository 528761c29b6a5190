import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens, type CountTokens } from "../../../../../src/index.js";
import { anyString } from "../../../../support/any-string.js";

const FIXTURES = new URL("../../../../fixtures/tokens/", import.meta.url);
const TOLERANCE = 0.25;
const MEGABYTE = 1_000_000;

/** The true o200k_base counts of the sample texts, by file name. */
const counts = JSON.parse(readFileSync(new URL("counts.json", FIXTURES), "utf8")) as Record<
  string,
  number
>;
const samples = Object.entries(counts).map(([name, tokens]) => ({
  name,
  tokens,
  text: readFileSync(new URL(name, FIXTURES), "utf8"),
}));

const quarterOfChars: CountTokens = (text) => text.length / 4;

function errorOf(estimate: number, tokens: number): number {
  return Math.abs(estimate / tokens - 1);
}

/** Strings of the kind that moves the estimate: words, ids, symbols, blanks, scripts, lone surrogates. */
const shortText = fc.oneof(
  anyString({ maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom(...Array.from("aeZQ09 \n\t'_.\\/\"{é漢かЖ한"), "\ud83d", "\ude00"),
    maxLength: 40,
  }),
);

describe("estimateTokens", () => {
  it.each(samples)("is within a quarter of the true count on $name", ({ text, tokens }) => {
    expect(errorOf(estimateTokens(text), tokens)).toBeLessThanOrEqual(TOLERANCE);
  });

  it.each([
    "log-app.txt",
    "log-access.txt",
    "json-numbers.txt",
    "csv.txt",
    "chinese.txt",
    "japanese.txt",
    "korean.txt",
    "base64.txt",
    "base64-lines.txt",
    "emoji.txt",
  ])("has a sample, %s, that a quarter of the characters misses by 40 %% or more", (name) => {
    const { text = "", tokens = 0 } = samples.find((candidate) => candidate.name === name) ?? {};
    expect(tokens).toBeGreaterThan(0);
    expect(errorOf(quarterOfChars(text), tokens)).toBeGreaterThanOrEqual(0.4);
  });

  it("counts nothing in an empty text and something in any other", () => {
    expect(estimateTokens("")).toBe(0);
    for (const text of ["a", " ", "\n", "\0", "7", "漢", "\ud800", "\udfff", "\u200d"]) {
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(1);
    }
  });

  it("gives the number that its documentation shows", () => {
    expect(estimateTokens("The quick brown fox jumps over the lazy dog.")).toBe(11);
  });

  it("tells a word from an id of the same length", () => {
    expect(estimateTokens("understanding")).toBeLessThan(estimateTokens("xqzfkwbdvjhgp"));
  });

  it("counts an indentation once, however deep", () => {
    const lines = (indent: number): string => `${" ".repeat(indent)}return;\n`.repeat(20);
    expect(estimateTokens(lines(16))).toBe(estimateTokens(lines(4)));
  });

  it("is a whole number of at least 1 for any text that is not empty", () => {
    fc.assert(
      fc.property(shortText, (text) => {
        const tokens = estimateTokens(text);
        expect(Number.isSafeInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThanOrEqual(text === "" ? 0 : 1);
      }),
    );
  });

  it("never finds much more in two texts together than in each", () => {
    fc.assert(
      fc.property(shortText, shortText, (head, tail) => {
        const apart = estimateTokens(head) + estimateTokens(tail);
        expect(estimateTokens(head + tail)).toBeLessThanOrEqual(apart + 2);
      }),
      { numRuns: 1000 },
    );
  });

  it("never finds much less in two texts together than in the first", () => {
    fc.assert(
      fc.property(shortText, shortText, (head, tail) => {
        expect(estimateTokens(head + tail)).toBeGreaterThanOrEqual(estimateTokens(head) - 2);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("estimateTokens of a big text", () => {
  it.each(samples)("agrees with the whole of $name, repeated", ({ text, tokens }) => {
    const times = Math.ceil(MEGABYTE / text.length);
    const big = text.repeat(times);
    expect(errorOf(estimateTokens(big), tokens * times)).toBeLessThanOrEqual(TOLERANCE);
    expect(errorOf(estimateTokens(big), estimateTokens(text) * times)).toBeLessThanOrEqual(0.05);
  });

  it("gives the same number every time, for equal texts built differently", () => {
    for (const { text } of samples) {
      const big = text.repeat(100);
      const again = Array.from({ length: 100 }, () => text).join("");
      expect(estimateTokens(again)).toBe(estimateTokens(big));
      expect(estimateTokens(big)).toBe(estimateTokens(big));
    }
  });

  it("does not jump where sampling begins", () => {
    for (const { text } of samples) {
      const big = text.repeat(Math.ceil(40_000 / text.length));
      const whole = estimateTokens(big.slice(0, 32_768));
      const sampled = estimateTokens(big.slice(0, 32_769));
      expect(errorOf(sampled, whole)).toBeLessThanOrEqual(0.1);
    }
  });

  it("sees every part of a text whose period is the distance between windows", () => {
    const share = 16_384;
    const half = "word ".repeat(share / 10).padEnd(share / 2, " ");
    const other = "0123456789,".repeat(share).slice(0, share / 2);
    const times = 64;
    const tokens = (estimateTokens(half) + estimateTokens(other)) * times;
    expect(errorOf(estimateTokens((half + other).repeat(times)), tokens)).toBeLessThan(TOLERANCE);
  });

  it.each([
    ["one letter", "a"],
    ["blanks", " "],
    ["digits", "7"],
    ["line breaks", "\n"],
    ["one symbol", "="],
    ["letters in no order", "qzjxkvwpfbgh"],
    ["Han", "漢"],
    ["half of a pair", "\ud83d"],
  ])("grows in proportion up to 5 MB of %s", (_name, unit) => {
    const text = unit.repeat(Math.ceil(5_000_000 / unit.length));
    const shorter = text.slice(0, 500_000);
    const perTen = estimateTokens(text) / estimateTokens(shorter);
    expect(perTen).toBeGreaterThan(9);
    expect(perTen).toBeLessThan(11);
  });
});
