import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern } from "../../../../../src/core/lib/search/compile-pattern.js";
import { SEARCH_BUFFER_BYTES, LineSearch } from "../../../../../src/core/lib/search/line-search.js";
import type { SearchMatch, SearchQuery } from "../../../../../src/core/lib/search/search-terms.js";
import { encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";
import { naiveSearch } from "./naive-search.js";

const QUERY: SearchQuery = {
  pattern: "x",
  literal: false,
  ignoreCase: false,
  contextBefore: 0,
  contextAfter: 0,
  maxResults: 1_000,
  windowChars: 1_000,
};

/** One for all, so that what an earlier search left there is met by the next. */
const BUFFER = new Uint8Array(SEARCH_BUFFER_BYTES);

function search(text: string | Uint8Array, query: Partial<SearchQuery>, cuts: number[] = []) {
  const whole = { ...QUERY, ...query };
  const matches: SearchMatch[] = [];
  const lines = new LineSearch(whole, {
    pattern: compilePattern(whole),
    onMatch: (match) => matches.push(match),
    buffer: BUFFER,
  });
  const bytes = typeof text === "string" ? encodeWtf8(text) : text;
  let at = 0;
  for (const cut of cuts) {
    lines.push(bytes.subarray(at, at + cut));
    at = Math.min(bytes.length, at + cut);
  }
  lines.push(bytes.subarray(at));
  lines.finish();
  return { matches, ...lines.tally };
}

/** Patterns for each way of searching, and the same for one line. */
const PATTERNS: readonly (readonly [pattern: string, line: RegExp])[] = [
  ["ab", /ab/u],
  ["a", /a/u],
  ["é", /é/u],
  ["😀", /😀/u],
  ["\ud83d", /\ud83d/u],
  ["\ufffd", /\ufffd/u],
  ["a|é", /a|é/u],
  ["ab\\w*", /ab\w*/u],
  ["[ab]+$", /[ab]+$/u],
  ["^", /^/u],
  ["$", /$/u],
  ["^$", /^$/u],
  ["^ab?", /^ab?/u],
  ["b*", /b*/u],
  ["a\\s*b", /a\s*b/u],
  ["[^a]b", /[^a]b/u],
  ["[^b]+a", /[^b]+a/u],
  ["\\W\\D", /\W\D/u],
  ["[\\s\\d]b", /[\s\d]b/u],
  ["(?<=a)b", /(?<=a)b/u],
  ["b(?!a)", /b(?!a)/u],
  ["(a|b)\\1", /(a|b)\1/u],
  ["a.b", /a.b/u],
  ["(?s)a.*b", /a.*b/su],
  ["(?i)AB", /AB/iu],
  ["\\P{L}a", /\P{L}a/u],
  ["\\ba", /\ba/u],
  ["a{2,}b", /a{2,}b/u],
  ["ab?b", /ab?b/u],
  ["\\r", /\r/u],
];

const aText = fc
  .array(
    fc.constantFrom(
      "a",
      "b",
      "ab",
      " ",
      "é",
      "😀",
      "\ud83d",
      "\ude00",
      "\n",
      "\r\n",
      "\r",
      "\0",
      "\ufffd",
      "\u2028",
      "\t",
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));
const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 30 });

describe("the search over lines", () => {
  it("finds what a plain line-by-line search finds, however the text is cut", () => {
    fc.assert(
      fc.property(
        aText,
        cuts,
        fc.constantFrom(...PATTERNS),
        fc.nat({ max: 3 }),
        fc.nat({ max: 3 }),
        fc.integer({ min: 1, max: 6 }),
        (content, pieces, [pattern, expression], contextBefore, contextAfter, fromLine) => {
          const query = { ...QUERY, pattern, contextBefore, contextAfter, fromLine };
          const { matches, matchingLines } = search(content, query, pieces);
          const expected = naiveSearch(content, query, expression);
          expect(matches).toEqual(
            expected.map(({ line, column, text, before, after }) => {
              const place = { line, column, text, textColumn: 1, lineChars: text.length };
              return { ...place, before, after };
            }),
          );
          expect(matchingLines).toBe(expected.length);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("takes a literal as it stands", () => {
    fc.assert(
      fc.property(
        aText,
        cuts,
        fc.constantFrom("a", ".", "a*", "b\\", "(ab)", "\r", "é"),
        (text, pieces, pattern) => {
          const escaped = new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "u");
          const { matches } = search(`${text}${pattern}`, { pattern, literal: true }, pieces);
          const expected = naiveSearch(`${text}${pattern}`, QUERY, escaped);
          expect(matches.map(({ line, column }) => [line, column])).toEqual(
            expected.map(({ line, column }) => [line, column]),
          );
        },
      ),
    );
  });

  it("shows a window in which the match can be seen", () => {
    fc.assert(
      fc.property(
        aText,
        fc.constantFrom(...PATTERNS),
        fc.integer({ min: 2, max: 12 }),
        (text, [pattern, line], windowChars) => {
          const query = { ...QUERY, pattern, contextBefore: 1, contextAfter: 1, windowChars };
          const expected = naiveSearch(text, query, line);
          const { matches } = search(text, query);
          expect(matches).toHaveLength(expected.length);
          for (const [index, match] of matches.entries()) {
            const whole = expected[index]?.text ?? "";
            const matched = expected[index]?.matched ?? "";
            const shown = match.text.slice(match.column - match.textColumn);
            expect(match.text.length).toBeLessThanOrEqual(windowChars);
            expect(whole.startsWith(match.text, match.textColumn - 1)).toBe(true);
            expect(match.lineChars).toBe(whole.length);
            expect(shown.startsWith(matched) || matched.startsWith(shown)).toBe(true);
            if (matched.length < windowChars) expect(shown.startsWith(matched)).toBe(true);
            if (whole.length <= windowChars) expect(match.text).toBe(whole);
            for (const beside of [...match.before, ...match.after]) {
              expect(beside.text.length).toBeLessThanOrEqual(windowChars);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it("finds the same in a text of many blocks, with lines of any length", () => {
    const content = Array.from(
      { length: 30_000 },
      (_, index) => `é${index}${index % 7_001 === 5 ? "-".repeat(150_000) : ""}\n`,
    ).join("");
    for (const [pattern, expression] of [
      ["[3]99|5-|0{3}$", /[3]99|5-|0{3}$/u],
      ["(?<=9)99$", /(?<=9)99$/u],
      ["999", /999/u],
    ] as const) {
      for (const fromLine of [1, 17_999]) {
        const query = { ...QUERY, pattern, contextBefore: 2, contextAfter: 2, fromLine };
        const { matches, scannedLines } = search(content, { ...query, windowChars: 200_000 });
        const expected = naiveSearch(content, query, expression);
        expect(scannedLines).toBe(30_000);
        expect(expected.length).toBeGreaterThan(10);
        expect(
          matches.map(({ line, column, before, after }) => ({ line, column, before, after })),
        ).toEqual(
          expected.map(({ line, column, before, after }) => ({ line, column, before, after })),
        );
      }
    }
  });

  it("counts what is past maxResults", () => {
    const text = "hit one\nmiss\nhit two\nhit three\n";
    for (const pattern of ["hit", "h.t", "(?<!x)hit"]) {
      const { matches, matchingLines, scannedLines } = search(text, { pattern, maxResults: 1 });
      expect(matches.map(({ line }) => line)).toEqual([1]);
      expect({ matchingLines, scannedLines }).toEqual({ matchingLines: 3, scannedLines: 4 });
      expect(search(text, { pattern, maxResults: 0 }).matches).toEqual([]);
    }
  });

  it("stands still when it is told to, and knows how far it came", () => {
    let asked = 0;
    const query = { ...QUERY, pattern: "hit", contextAfter: 2 };
    const matches: SearchMatch[] = [];
    const lines = new LineSearch(query, {
      pattern: compilePattern(query),
      onMatch: (match) => matches.push(match),
      shouldStop: () => (asked += 1) > 2,
    });
    lines.push(encodeWtf8("hit\n\nhit\n\nhit\n"));
    lines.push(encodeWtf8("hit\n"));
    lines.finish();
    expect(lines.stopped).toBe(true);
    expect(matches.map(({ line }) => line)).toEqual([1, 3]);
    expect(lines.tally).toEqual({ scannedLines: 4, matchingLines: 2 });
  });

  it("reads bytes that are not text as replacement characters", () => {
    const bytes = Uint8Array.of(0x61, 0xff, 0x62, 0x0a, 0xe2, 0x82, 0x0a, 0x63);
    expect(search(bytes, { pattern: "\ufffd" }).matches.map(({ text }) => text)).toEqual([
      "a\ufffdb",
      "\ufffd",
    ]);
  });
});

describe("a line that is too long to be held", () => {
  const long = "é".repeat(1_500_000);
  const text = `before\n${long}needle${long}END\r\nafter needle\n`;

  it("is searched in pieces, with the true column and length", () => {
    for (const pattern of ["needle", "n[e]+dle", "(?<=[é ])needle(?!x)", "\\bneedle|needle"]) {
      const query = { pattern, contextBefore: 1, contextAfter: 1, windowChars: 20 };
      const { matches, scannedLines } = search(text, query);
      expect(scannedLines).toBe(3);
      expect(matches).toHaveLength(2);
      const [first, second] = matches;
      expect(first).toMatchObject({ line: 2, column: 1_500_001, lineChars: 3_000_009 });
      expect(first?.text).toBe("éééééééneedleééééééé".slice(-20));
      expect(first?.before).toEqual([{ line: 1, text: "before", lineChars: 6 }]);
      expect(first?.after).toEqual([{ line: 3, text: "after needle", lineChars: 12 }]);
      expect(second?.before).toEqual([{ line: 2, text: "é".repeat(20), lineChars: 3_000_009 }]);
    }
  });

  it("has its anchors at its true ends", () => {
    const find = (pattern: string) =>
      search(text, { pattern }).matches.map(({ line, column }) => [line, column]);
    expect(find("^é")).toEqual([[2, 1]]);
    expect(find("END$")).toEqual([[2, 3_000_007]]);
    expect(find("^needle")).toEqual([]);
    expect(find("é$")).toEqual([]);
    expect(find("^é+$")).toEqual([]);
    expect(find("^END|^af")).toEqual([[3, 1]]);
  });

  it("can be the last one, without a line break, and can be skipped", () => {
    const last = `${long}needle`;
    expect(search(last, { pattern: "needle$" }).matches[0]?.column).toBe(1_500_001);
    expect(search(last, { pattern: "needle" }).scannedLines).toBe(1);
    expect(
      search(text, { pattern: "needle", fromLine: 3 }).matches.map(({ line }) => line),
    ).toEqual([3]);
  });

  it("does not cut a character where its pieces meet", () => {
    for (const shift of ["", "x", "xy", "xyz"]) {
      const emoji = `${shift}${"😀".repeat(700_000)}end`;
      const { matches } = search(emoji, { pattern: "\\ufffd|end" });
      expect(matches[0]?.column).toBe(shift.length + 1_400_001);
    }
  });
});

describe("the memory of a search", () => {
  it.each([
    ["\n".repeat(50_000), "^$"],
    ["\n".repeat(50_000), "^"],
    ["a\n".repeat(50_000), "a"],
    [`${"\n".repeat(20_000)}${"needle\n".repeat(50)}`, "needle"],
  ])("does not grow with the context lines of many matches", (text, pattern) => {
    const query = { contextBefore: 7_000, contextAfter: 7_000, maxResults: 1e6, maxChars: 20_000 };
    const { matches, matchingLines } = search(text, { ...query, pattern });
    const lines = matches.reduce((sum, { before, after }) => sum + before.length + after.length, 0);
    expect(lines).toBeLessThan(40_000);
    expect(matches.length).toBeLessThan(10_000);
    expect(matchingLines).toBe(text.startsWith("\n\n") && pattern === "needle" ? 50 : 50_000);
  });
});
