import { quote, shorten } from "../text/quote.js";
import type { PatternToken } from "./pattern-shape.js";
import type { SearchQuery } from "./search-terms.js";

const ESCAPES: Readonly<Record<string, string>> = {
  A: "\\A is not supported; the search goes line by line, so write ^ for the start of a line",
  z: "\\z is not supported; the search goes line by line, so write $ for the end of a line",
  Z: "\\Z is not supported; the search goes line by line, so write $ for the end of a line",
  n: "\\n cannot match, since the search goes line by line; search for a text within one line and ask for context lines",
  h: "\\h is not supported; write [ \\t]",
  R: "\\R is not supported, and the search goes line by line; write ^ or $ for a line's ends",
  Q: "\\Q…\\E is not supported; put a backslash before each special character",
  K: "\\K is not supported; write a lookbehind, (?<=…)",
};

const POSIX_CLASSES = new Map(
  Object.entries({
    alpha: "a-zA-Z",
    digit: "\\d",
    alnum: "a-zA-Z\\d",
    upper: "A-Z",
    lower: "a-z",
    space: "\\s",
    blank: " \\t",
    punct: "!-\\/:-@\\[-`{-~",
    xdigit: "\\da-fA-F",
    word: "\\w",
    cntrl: "\\x00-\\x1f\\x7f",
    print: " -~",
    graph: "!-~",
  }),
);

const KNOWN_LETTERS = "dDwWsSbBrtvf";

/**
 * Finds syntax of other engines that JavaScript rejects or, worse, understands differently. Returns
 * what to write instead, or undefined if there is no such syntax.
 */
export function explainForeignSyntax(tokens: readonly PatternToken[]): string | undefined {
  for (const [index, token] of tokens.entries()) {
    const advice = explainToken(token, tokens[index - 1]);
    if (advice !== undefined) return advice;
  }
  return undefined;
}

function explainToken(token: PatternToken, previous: PatternToken | undefined): string | undefined {
  switch (token.kind) {
    case "escape":
      return explainEscape(token.text);
    case "class":
      return explainClass(token.text);
    case "quantifier":
      return previous?.kind === "quantifier" && token.text.startsWith("+")
        ? `possessive quantifiers such as ${shorten(previous.text)}+ are not supported; write ${shorten(previous.text)}`
        : undefined;
    case "open":
      return explainOpen(token.text);
    case "char":
      return token.text === "\n"
        ? "a line break cannot match, since the search goes line by line"
        : undefined;
    default:
      return undefined;
  }
}

function explainEscape(text: string): string | undefined {
  const letter = text.charAt(1);
  if (text.length > 2 || !/[a-z]/i.test(letter) || KNOWN_LETTERS.includes(letter)) return undefined;
  return (
    ESCAPES[letter] ?? `${text} is not supported; leave out the backslash for the letter itself`
  );
}

function explainClass(text: string): string | undefined {
  const posix = /\[:(\^?)([a-z]+):\]/i.exec(text);
  const range = POSIX_CLASSES.get(posix?.[2] ?? "");
  if (posix === null || range === undefined) return undefined;
  const negated = posix[1] === "^" ? "^" : "";
  return `${posix[0]} is not supported; write [${negated}${range}], or ${range} inside other brackets`;
}

function explainOpen(text: string): string | undefined {
  if (text === "(?>") return "atomic groups, (?>…), are not supported; write (?:…)";
  if (text.startsWith("(?P<")) return "named groups are written (?<name>…) here";
  if (/^\(\?[a-z-]+\)$/i.test(text)) {
    return `${quote(text)} is not supported; the flags i, m and s are allowed only at the start, as in (?i)word`;
  }
  return undefined;
}

/** A pattern in the syntax of another tool, as it was most likely meant. */
export type RereadPattern = Pick<SearchQuery, "pattern" | "ignoreCase">;

const SLASHED = /^\/(.+)\/([dgimsuvy]*)$/s;
const FLAGGED_GROUP = /\(\?([ims]+):/g;
const ESCAPE = /\\([^])/g;
/** Escapes of grep that stand for something else in JavaScript, where they are plain characters. */
const GREP_ESCAPES: Readonly<Record<string, string>> = { "<": "\\b", ">": "\\b", "|": "|" };

/**
 * Reads a pattern as the syntax of another tool: `/error/i`, `(?i:error)`, `\<word\>`, `one\|two`.
 * All of these also mean something in JavaScript, or may come to, so this is for a pattern that
 * matched nothing as it stands. Undefined if it would mean the same.
 */
export function rereadPattern({
  pattern,
  literal,
  ignoreCase,
}: Pick<SearchQuery, "pattern" | "literal" | "ignoreCase">): RereadPattern | undefined {
  if (literal) return undefined;
  let flags = "";
  const [, slashed = pattern, slashFlags = ""] = SLASHED.exec(pattern) ?? [];
  const read = slashed
    .replace(FLAGGED_GROUP, (_, letters: string) => {
      flags += letters;
      return "(?:";
    })
    .replace(ESCAPE, (escape, letter: string) => GREP_ESCAPES[letter] ?? escape);
  if (read === pattern) return undefined;
  return { pattern: read, ignoreCase: ignoreCase || `${slashFlags}${flags}`.includes("i") };
}
