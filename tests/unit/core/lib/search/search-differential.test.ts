import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern } from "../../../../../src/core/lib/search/compile-pattern.js";
import { LineSearch, SEARCH_BUFFER_BYTES } from "../../../../../src/core/lib/search/line-search.js";
import { PatternError } from "../../../../../src/core/lib/search/search-terms.js";
import { createSearchBuffer } from "../../../../../src/core/lib/search/search-buffer.js";
import { encodeWtf8 } from "../../../../../src/core/lib/text/wtf8.js";

const BUFFER = createSearchBuffer(SEARCH_BUFFER_BYTES);

/** Line and column of every match. */
function found(text: string | Uint8Array, pattern: string, ignoreCase: boolean): string[] {
  const query = {
    ...{ pattern, ignoreCase, literal: false, contextBefore: 0, contextAfter: 0 },
    ...{ maxResults: Infinity, windowChars: 80 },
  };
  const places: string[] = [];
  const search = new LineSearch(query, {
    pattern: compilePattern(query),
    searchBuffer: BUFFER,
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

const CHARS = Array.from("aAbkKsSxX019_- .:^]\t\r\v\0é漢ß");
/** Case folding makes these the same as letters of ASCII. */
const FOLDED = [
  "\u212a",
  "\u017f",
  "\u0130",
  "\u2028",
  "\u0085",
  "\ufeff",
  "😀",
  "\ud83d",
  "\ude00",
];

const aChar = fc.constantFrom(...CHARS, ...FOLDED);
const aText = fc
  .array(fc.oneof({ weight: 5, arbitrary: aChar }, fc.constantFrom("\n", "\r\n", "\n\n")), {
    maxLength: 120,
  })
  .map((parts) => parts.join(""));

const escape = fc.constantFrom(
  ..."\\d \\D \\w \\W \\s \\S \\b \\B \\t \\r \\. \\- \\x0a \\x61 \\u000a \\u{a} \\u0041 \\cJ \\cA \\0".split(
    " ",
  ),
  ..."\\p{L} \\p{Lu} \\P{Lu} \\p{Ll} \\P{Ll} \\P{L} \\p{Cc} \\P{Cc} \\p{N} \\ud83d \\ude00 \\u{1f600}".split(
    " ",
  ),
);
const classAtom = fc.oneof(
  fc.constantFrom(...Array.from("aAkKsSxz019_-.^:! ~\tß漢")),
  fc.constantFrom(
    "\\d",
    "\\D",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "\\]",
    "\\-",
    "\\t",
    "\\b",
    "\\x00",
    "\\x0a",
    "\\n",
  ),
  fc.constantFrom("\\p{L}", "\\p{Lu}", "\\P{Lu}", "\\P{L}", "\\p{Cc}", "😀", "\u212a"),
  fc.constantFrom(
    "a-z",
    "A-Z",
    "0-9",
    "\\t-~",
    "\\x00-\\x7f",
    "!-~",
    "\\x01-~",
    "--a",
    "+--",
    "\t-a",
    "\0-a",
  ),
);
const aClass = fc
  .tuple(
    fc.constantFrom("[", "[^", "[-", "[^-"),
    fc.array(classAtom, { minLength: 1, maxLength: 4 }),
  )
  .map(([open, atoms]) => `${open}${atoms.join("")}]`);
const quantifier = fc.constantFrom(
  "",
  "",
  "",
  "*",
  "+",
  "?",
  "*?",
  "+?",
  "{2}",
  "{0,2}",
  "{1,}",
  "{0}",
);

const { pattern: aPattern } = fc.letrec<{ pattern: string; atom: string; piece: string }>(
  (tie) => ({
    atom: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      aChar.map((char) => char.replace(/[\\^$.*+?()[\]{}|]/, "\\$&")),
      escape,
      aClass,
      fc.constantFrom(".", "^", "$", "\\b"),
      tie("pattern").map((inner) => `(?:${inner})`),
      tie("pattern").map((inner) => `(${inner})`),
      tie("pattern").map((inner) => `(${inner})\\1`),
      fc
        .tuple(fc.constantFrom("(?=", "(?!", "(?<=", "(?<!"), tie("pattern"))
        .map(([open, inner]) => `${open}${inner})`),
    ),
    piece: fc.tuple(tie("atom"), quantifier).map((parts) => parts.join("")),
    pattern: fc.oneof(
      {
        weight: 6,
        arbitrary: fc
          .array(tie("piece"), { minLength: 1, maxLength: 4 })
          .map((pieces) => pieces.join("")),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(tie("piece"), tie("piece")).map((sides) => sides.join("|")),
      },
    ),
  }),
);

describe("any pattern on any text", () => {
  it("finds what the engine finds in each line alone", () => {
    let compared = 0;
    fc.assert(
      fc.property(aPattern, aText, fc.boolean(), (pattern, text, ignoreCase) => {
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
      { numRuns: 10_000 },
    );
    expect(compared).toBeGreaterThan(3_000);
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
