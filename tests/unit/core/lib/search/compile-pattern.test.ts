import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compilePattern,
  shapeOf,
  tokenizePattern,
} from "../../../../../src/core/lib/search/compile-pattern.js";
import { PatternError } from "../../../../../src/core/lib/search/search-terms.js";

function compile(pattern: string, options: { literal?: boolean; ignoreCase?: boolean } = {}) {
  return compilePattern({ pattern, literal: false, ignoreCase: false, ...options });
}

function refusal(pattern: string, literal = false): string {
  try {
    compile(pattern, { literal });
  } catch (error) {
    if (PatternError.isInstance(error)) return error.reason;
    throw error;
  }
  throw new Error(`${pattern} was accepted`);
}

const finds = (pattern: string, text: string, options = {}): boolean =>
  compile(pattern, options).find(text, 0) !== undefined;

describe("a pattern", () => {
  it("is refused with what the engine objected to", () => {
    expect(refusal("a(b")).toContain("Unterminated group");
    expect(refusal("[z-a]")).toContain("out of order");
    expect(refusal("\\p{Nonsense}")).toContain("property name");
    expect(refusal("")).toContain("empty");
    expect(refusal("", true)).toContain("empty");
    expect(refusal("(?i)")).toContain("nothing to look for");
  });

  it.each([
    ["\\Afoo", "write ^"],
    ["foo\\z", "write $"],
    ["foo\\Z", "write $"],
    ["a++b", "write +"],
    ["a*+", "write *"],
    ["a{2,3}+", "write {2,3}"],
    ["[[:alpha:]]+", "[a-zA-Z]"],
    ["[^[:digit:]_]", "\\d"],
    ["[[:^space:]]", "[^\\s]"],
    ["(?>a)", "(?:"],
    ["(?P<name>a)", "(?<name>"],
    ["foo(?i)bar", "only at the start"],
    ["(?x)a b", "only at the start"],
    ["a\\nb", "line by line"],
    ["a\nb", "line by line"],
    ["\\Qa.b\\E", "backslash"],
    ["\\hfoo", "[ \\t]"],
    ["\\yfoo", "leave out the backslash"],
  ])("%j of another engine is explained", (pattern, advice) => {
    expect(refusal(pattern)).toContain(advice);
  });

  it("is not taken for a class of another engine by the name of something inherited", () => {
    expect(finds("[[:constructor:]]", "n]")).toBe(true);
  });

  it("with a line break is refused as a literal too", () => {
    expect(refusal("a\nb", true)).toContain("line by line");
  });

  it("may begin with flags", () => {
    expect(finds("(?i)ERROR", "an error")).toBe(true);
    expect(finds("(?is)A.B", "a\rb")).toBe(true);
    expect(finds("(?i)(?s)A.B", "a\rb")).toBe(true);
    expect(finds("(?m)^b", "ab")).toBe(false);
    expect(finds("ERROR", "an error")).toBe(false);
  });

  it("is read by code points, and loosely where that does not compile", () => {
    expect(finds("^.$", "😀")).toBe(true);
    expect(finds("^\\p{L}+$", "漢字é")).toBe(true);
    expect(finds("a\\-b", "a-b")).toBe(true);
    expect(finds("[0-9]{", "1{")).toBe(true);
    expect(finds('\\"[a-z]\\"', '"a"')).toBe(true);
  });

  it("ignores case in a literal without reading it as an expression", () => {
    expect(finds("A.B", "xa.b", { literal: true, ignoreCase: true })).toBe(true);
    expect(finds("A.B", "xacb", { literal: true, ignoreCase: true })).toBe(false);
  });

  it("without special characters is looked for as bytes", () => {
    for (const pattern of ["timeout", "a\\.b", "1{", "é"]) {
      expect(compile(pattern)).toMatchObject({ exact: true });
    }
    expect(compile("a.b", { literal: true })).toMatchObject({ exact: true });
    expect(compile("x".repeat(5_000))).toMatchObject({ exact: true });
  });
});

describe("the shape of a pattern", () => {
  const required = (source: string, ignoreCase = false): string =>
    shapeOf(tokenizePattern(source), ignoreCase).required;

  it.each([
    ["timeout after \\d{4} ms", "timeout after "],
    ["colou?r", "colo"],
    ["ab+cd", "ab"],
    ["ab*cde", "cde"],
    ["x{0,2}yz", "yz"],
    ["x{2}", "x"],
    ["abc|abd", ""],
    ["(abc|abd)ef", "ef"],
    ["(?:abc)?", ""],
    ["[abc]d", "d"],
    ["a\\tb\\.c", "a\tb.c"],
    ["\\bword\\b", "word"],
  ])("%j requires %j", (source, text) => {
    expect(required(source)).toBe(text);
  });

  it("requires no letters when their case does not count", () => {
    expect(required("ab_12:c", true)).toBe("_12:");
  });

  it("never runs over a line's end where lines are searched together", () => {
    const blockOf = (source: string) => shapeOf(tokenizePattern(source), false).blockSource;
    for (const source of ["a\\sb", "a\\Wb", "a\\Db", "a[^x]b", "a[^-x]b", "a\\P{L}b"]) {
      const block = blockOf(source) ?? "";
      expect(new RegExp(block, "u").test("a\nb")).toBe(false);
      expect(new RegExp(block, "u").test("a b")).toBe(true);
    }
    for (const source of [
      "[ -~\\t]",
      "[a-z\\d]",
      "\\p{Lu}",
      "[\\p{L}_]",
      "\\S",
      "\\x41",
      "\\ud83d",
    ]) {
      expect(blockOf(source)).toBe(source);
    }
    for (const source of [
      ...[
        "(?=a)",
        "(?<!a)b",
        "(a)\\1",
        "(?<n>a)\\k<n>",
        "(?i:a)",
        "[\\s,]",
        "[\\t-~]",
        "[\\x00-\\x7f]",
      ],
      ...[
        "[\\b-a]",
        "[\t-a]",
        "[\n]",
        "[\\p{Cc}]",
        "\\p{Cc}",
        "\\x0a",
        "\\u000a",
        "\\u{a}",
        "\\cJ",
        "\\012",
      ],
    ]) {
      expect([source, blockOf(source)]).toEqual([source, undefined]);
    }
    expect(shapeOf(tokenizePattern("\\P{Lu}"), true).blockSource).toBeUndefined();
  });

  it("knows the longest match, or that it does not", () => {
    const longest = (source: string) => shapeOf(tokenizePattern(source), false).longestMatch;
    const bounded = ["abc", "a?b{3}", "(?:ab){2,5}", "[a-z]{10}", "^$"];
    expect(bounded.map(longest)).toEqual([6, 12, 20, 40, 0]);
    for (const source of ["a*", "a+?", "a{2,}", "(?=a)", "(?<!a)", "(a)\\1", "(?i:a)"]) {
      expect(longest(source)).toBe(Infinity);
    }
  });

  it("takes a time that is linear in the length of the source", () => {
    // One that is looked through to its end from every place would take minutes.
    for (const unit of ["\\u{", "\\p{", "\\k<", "(?<", "(?P<", "[[:a", "(?", "\\"]) {
      const source = unit.repeat(300_000);
      expect(
        tokenizePattern(source)
          .map(({ text }) => text.length)
          .reduce((sum, size) => sum + size),
      ).toBe(source.length);
    }
  });

  it("is read off pieces that make up the source", () => {
    const part = fc.constantFrom(..."ab\\[](){}?*+.^$|-:,1<=!>ip".split(""));
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const source = parts.join("");
        expect(
          tokenizePattern(source)
            .map(({ text }) => text)
            .join(""),
        ).toBe(source);
      }),
    );
  });
});
