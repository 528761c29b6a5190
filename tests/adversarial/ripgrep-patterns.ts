import fc from "fast-check";

/** What JavaScript and ripgrep understand in the same way, on the lines that go with it. */
export interface SharedSyntax {
  readonly name: string;
  readonly line: fc.Arbitrary<string>;
  readonly pattern: fc.Arbitrary<string>;
}

const SPECIAL = /[\\^$.*+?()[\]{}|]/;
const escape = (char: string) => char.replace(SPECIAL, "\\$&");

// Neither "\r" nor U+2028: "." of JavaScript does not match them.
const ASCII = Array.from("aAbBkKsSxXzZ0129_-.,:;/ \t\"'^[](){}|\\$*+?#&~!=<>@%`\x0b");
const UNICODE = Array.from("aAbkKsSxz09_-. éÉßẞçñΣσςДдИи漢字カ한😀𝒳\u00a0\u0301\ufeff");

/** Ripgrep reads "&&", "--" and "~~" in a class as operations, and "[" as a class inside. */
const inClass = (char: string) => (/[-\\\]^[&~]/.test(char) ? `\\${char}` : char);

const classOf = (chars: readonly string[], sets: readonly string[]): fc.Arbitrary<string> => {
  const member = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...chars.filter((c) => !/[&~]/.test(c))).map(inClass) },
    { weight: 2, arbitrary: fc.constantFrom("a-z", "A-Z", "0-9", "!-/", "k-s") },
    { weight: 2, arbitrary: fc.constantFrom(...sets) },
  );
  return fc
    .tuple(
      fc.constantFrom("[", "[^", "[", "[^", "[-", "[^-"),
      fc.array(member, { minLength: 1, maxLength: 4 }),
      fc.constantFrom("]", "]", "]", "-]"),
    )
    .map(([open, members, close]) => `${open}${members.join("")}${close}`);
};

/** A group that is repeated without a bound may take for ever in JavaScript. */
const BOUNDED = ["", "", "", "?", "??", "{2}", "{0,2}", "{0}"];
const QUANTIFIERS = [...BOUNDED, "*", "+", "*?", "+?", "{1,}"];

function patternOf(
  chars: readonly string[],
  sets: readonly string[],
  anchors: readonly string[],
): fc.Arbitrary<string> {
  return fc.letrec<{ pattern: string; group: string; atom: string; piece: string; row: string }>(
    (tie) => ({
      group: fc
        .tuple(fc.constantFrom("(?:", "("), tie("pattern"), fc.constantFrom(...BOUNDED))
        .map(([open, inner, quantifier]) => `${open}${inner})${quantifier}`),
      atom: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...chars).map(escape) },
        { weight: 2, arbitrary: fc.constantFrom(...sets, ".") },
        { weight: 2, arbitrary: classOf(chars, sets) },
      ),
      piece: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        {
          weight: 6,
          arbitrary: fc
            .tuple(tie("atom"), fc.constantFrom(...QUANTIFIERS))
            .map((parts) => parts.join("")),
        },
        { weight: 2, arbitrary: tie("group") },
        { weight: 1, arbitrary: fc.constantFrom(...anchors) },
      ),
      row: fc.array(tie("piece"), { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join("")),
      pattern: fc.oneof(
        { weight: 5, arbitrary: tie("row") },
        { weight: 1, arbitrary: fc.tuple(tie("row"), tie("row")).map((rows) => rows.join("|")) },
      ),
    }),
  ).pattern;
}

const lineOf = (chars: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...chars), { maxLength: 24 }).map((parts) => parts.join(""));

/** ASCII only: what counts as a word or a space beyond it, the two do not agree on. */
const ascii: SharedSyntax = {
  name: "ASCII, with words, spaces and digits",
  line: lineOf([...ASCII, "\0"]),
  pattern: patternOf(ASCII, ["\\d", "\\D", "\\w", "\\W", "\\s", "\\S"], ["^", "$", "\\b", "\\B"]),
};

/** No \P: negating and ignoring case come in another order in ripgrep. */
const unicode: SharedSyntax = {
  name: "letters of any script, by property",
  line: lineOf(UNICODE),
  pattern: patternOf(
    UNICODE,
    ["\\p{L}", "\\p{Lu}", "\\p{Ll}", "\\p{N}", "\\p{Script=Greek}"],
    ["^", "$"],
  ),
};
export const SHARED_SYNTAXES = [ascii, unicode];
