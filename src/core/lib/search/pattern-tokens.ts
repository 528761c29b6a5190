/** The kind of a token in a regular expression's source. */
export type PatternTokenKind =
  "char" | "escape" | "class" | "dot" | "anchor" | "quantifier" | "alternative" | "open" | "close";

export interface PatternToken {
  readonly kind: PatternTokenKind;
  readonly text: string;
}

// Repetitions are bounded, so that the time is linear for any source.
const ESCAPE =
  /\\(?:u\{[^}]{0,40}\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|[pP]\{[^}]{0,100}\}|k<[^>]{0,100}>|\d+|[^])?/iy;
const CLASS = /\[\^?(?:\\[^]|\[:\^?[a-z]{0,20}:\]|[^\]\\])*\]?/iy;
const OPEN = /\((?:\?(?:[:=!>]|<[=!]|P?<[^>]{0,100}>|[a-z-]*[:)]?))?/iy;
const QUANTIFIER = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y;

/** Splits the source of a regular expression into tokens. Joined, they are the source again. */
export function tokenizePattern(source: string): PatternToken[] {
  const tokens: PatternToken[] = [];
  let at = 0;
  const take = (expression: RegExp): string => {
    expression.lastIndex = at;
    return expression.exec(source)?.[0] ?? source.charAt(at);
  };
  while (at < source.length) {
    const token = nextToken(source.charAt(at), take);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function nextToken(first: string, take: (expression: RegExp) => string): PatternToken {
  switch (first) {
    case "\\":
      return { kind: "escape", text: take(ESCAPE) };
    case "[":
      return { kind: "class", text: take(CLASS) };
    case "(":
      return { kind: "open", text: take(OPEN) };
    case ")":
      return { kind: "close", text: first };
    case "|":
      return { kind: "alternative", text: first };
    case ".":
      return { kind: "dot", text: first };
    case "^":
    case "$":
      return { kind: "anchor", text: first };
    case "*":
    case "+":
    case "?":
      return { kind: "quantifier", text: take(QUANTIFIER) };
    case "{": {
      const text = take(QUANTIFIER);
      // A brace that is not a repetition is literal.
      return { kind: text.length > 1 ? "quantifier" : "char", text };
    }
    default:
      return { kind: "char", text: first };
  }
}
