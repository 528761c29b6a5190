import fc from "fast-check";

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
/** Lines with every kind of line break, and characters that patterns treat in their own way. */
export const aSearchedText = fc
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

const { pattern } = fc.letrec<{ pattern: string; atom: string; piece: string }>((tie) => ({
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
}));

/** Patterns of everything that JavaScript knows; not all of them compile. */
export const anyPattern = pattern;
