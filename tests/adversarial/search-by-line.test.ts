import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern } from "../../src/core/lib/search/compile-pattern.js";
import { LineSearch, SEARCH_BUFFER_BYTES } from "../../src/core/lib/search/line-search.js";
import { PatternError } from "../../src/core/lib/search/search-terms.js";
import { encodeWtf8 } from "../../src/core/lib/text/wtf8.js";
import { runs } from "../support/adversarial-runs.js";
import { anyPattern, aSearchedText } from "./generated-patterns.js";

const BUFFER = new Uint8Array(SEARCH_BUFFER_BYTES);

/** Line and column of every match. */
function found(text: string | Uint8Array, pattern: string, ignoreCase: boolean): string[] {
  const query = {
    ...{ pattern, ignoreCase, literal: false, contextBefore: 0, contextAfter: 0 },
    ...{ maxResults: Infinity, windowChars: 80 },
  };
  const places: string[] = [];
  const search = new LineSearch(query, {
    pattern: compilePattern(query),
    buffer: BUFFER,
    onMatch: ({ line, column }) => places.push(`${line}:${column}`),
  });
  search.push(typeof text === "string" ? encodeWtf8(text) : text);
  search.finish();
  return places;
}

/** The same by the engine alone, line by line. */
function expected(text: string, pattern: string, ignoreCase: boolean): string[] {
  const flags = ignoreCase ? "i" : "";
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, `${flags}u`);
  } catch {
    expression = new RegExp(pattern, flags);
  }
  return text.split("\n").flatMap((line, index, { length }) => {
    if (index === length - 1 && line === "") return [];
    const whole = index < length - 1 ? line.replace(/\r$/, "") : line;
    const match = expression.exec(whole);
    return match === null ? [] : [`${index + 1}:${match.index + 1}`];
  });
}

describe("any pattern on any text", () => {
  it("finds what the engine finds in each line alone", () => {
    let compared = 0;
    fc.assert(
      fc.property(anyPattern, aSearchedText, fc.boolean(), (pattern, text, ignoreCase) => {
        let places: string[];
        try {
          places = found(text, pattern, ignoreCase);
        } catch (error) {
          if (PatternError.isInstance(error)) return;
          throw error;
        }
        compared += 1;
        expect(places).toEqual(expected(text, pattern, ignoreCase));
      }),
      { numRuns: runs(4_000) },
    );
    expect(compared).toBeGreaterThan(runs(1_200));
  });

  it.each([
    ["[^-x]", "# comment\n-dash\nx\n\tTab\n", false],
    ["^[^-0-9]", "# comment\n-dash\n1 one\n\tTab\n", false],
    ["[^--a]", "-\n.\nz\n", false],
    ["\\P{Lu}", "ABC\nabc\n123\n", true],
    ["^\\P{Lu}+$", "ABC\nabc\n123\n", true],
    ["[^\\P{Ll}]", "ABC\nabc\n123\n", true],
    ["\\W", "\u212a\n\u017f\nk-\n", true],
  ])("%s is the same in many lines as in one", (pattern, text, ignoreCase) => {
    expect(found(text, pattern, ignoreCase)).toEqual(expected(text, pattern, ignoreCase));
  });

  it("finds a character that was stored as two halves", () => {
    const halves = Uint8Array.of(0x78, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80, 0x0a);
    for (const pattern of ["😀", "x😀", "[😀]", "."]) {
      expect(found(halves, pattern, false)).toEqual(expected("x😀\n", pattern, false));
    }
  });
});

describe("a line of more than 1 MB", () => {
  const line = `${"x".repeat(1_500_000)} ERROR ${"y".repeat(1_500_000)}END`;
  const text = `${line}\r\nshort ERROR\n${line}`;

  it.each([
    "^(?!.*ERROR)",
    "^(?=.*END)",
    "^x(?!.*ERROR)",
    " (?<=^x{1500000} )ERROR",
    "^x+ ERROR",
    "x.*END$",
    "(?<!x) ERROR",
    " ERROR (y+)END",
    "(x)\\1{9} E",
    "x\\b",
    "\\bE",
    "y{3}END$",
    "^[^E]{0,99}$",
    "R y?",
    "\\r",
  ])("is searched for %s as the engine does it", (pattern) => {
    expect(found(text, pattern, false)).toEqual(expected(text, pattern, false));
  });
});
