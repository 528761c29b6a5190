import { LINE_FEED } from "../text/scan-bytes.js";
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

/** What is known of a regular expression from its source, to search with less work. */
export interface PatternShape {
  /** The longest text that is known to be in every match; "" if none is known. */
  readonly required: string;
  /** A source to run over many lines at once, or undefined if each line must be searched on its own. */
  readonly blockSource: string | undefined;
  /**
   * The maximum length of a match, in UTF-16 units, if a match depends only on its own characters and
   * those next to it. Infinity if that is not known.
   */
  readonly longestMatch: number;
}

/** Derives the shape from the tokens. Conservative: it may know too little, but nothing wrong. */
export function shapeOf(tokens: readonly PatternToken[], ignoreCase: boolean): PatternShape {
  return {
    required: requiredText(tokens, ignoreCase),
    blockSource: blockSource(tokens, ignoreCase),
    longestMatch: longestMatch(tokens),
  };
}

function requiredText(tokens: readonly PatternToken[], ignoreCase: boolean): string {
  let longest = "";
  let run = "";
  let depth = 0;
  const endRun = (): void => {
    if (run.length > longest.length) longest = run;
    run = "";
  };
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "open") depth += 1;
    else if (token.kind === "close") depth -= 1;
    if (token.kind === "alternative" && depth === 0) return "";
    const char = depth === 0 ? literalChar(token) : undefined;
    if (char === undefined || (ignoreCase && !isCaseless(char))) {
      endRun();
      continue;
    }
    const next = tokens[index + 1];
    if (next?.kind !== "quantifier") run += char;
    else {
      // A repeated character occurs at least once; what follows it is unknown.
      if (/^(?:\+|\{0*[1-9])/.test(next.text)) run += char;
      endRun();
    }
  }
  endRun();
  return longest;
}

/** The single character that a token matches, if there is one. */
export function literalChar(token: PatternToken): string | undefined {
  if (token.kind === "char") return token.text;
  if (token.kind !== "escape") return undefined;
  const escaped = token.text.slice(1);
  if (escaped === "t") return "\t";
  return /^[\x20-\x7e]$/.test(escaped) && !/[\da-z]/i.test(escaped) ? escaped : undefined;
}

function isCaseless(char: string): boolean {
  return char < "\x80" && !/[a-z]/i.test(char);
}

/** An upper bound: a character may take two units, and every repetition may apply to everything. */
function longestMatch(tokens: readonly PatternToken[]): number {
  let units = 0;
  let times = 1;
  for (const token of tokens) {
    if (seesElsewhere(token)) return Infinity;
    if (token.kind === "quantifier") times *= Math.max(1, mostTimes(token.text));
    else if (/^(?:char|escape|dot)$/.test(token.kind)) units += 2;
    // "[[:x:]]" is a class and a bracket.
    else if (token.kind === "class") units += 4;
  }
  return units * times;
}

function mostTimes(quantifier: string): number {
  if (quantifier.startsWith("?")) return 1;
  const [, least, most] = /^\{(\d+)(,?\d*)/.exec(quantifier) ?? [];
  if (least === undefined || most === ",") return Infinity;
  return Number(most === "" ? least : most?.slice(1));
}

/** Lookaround, back-references, and changes of the flags. */
function seesElsewhere({ kind, text }: PatternToken): boolean {
  if (kind === "escape") return /^\\(?:[1-9]|k)/.test(text);
  return kind === "open" && /^\(\?(?:<?[=!]|[a-z-]*[:)])/i.test(text) && text !== "(?:";
}

/**
 * A source that, with the flag `m`, matches at the same positions as the expression does in each line
 * alone, and perhaps at others, but never across a line feed. Every token either cannot match a line
 * feed or is replaced by one that matches the same characters except the line feed; if that is not
 * certain, the result is undefined.
 */
function blockSource(tokens: readonly PatternToken[], ignoreCase: boolean): string | undefined {
  let source = "";
  for (const token of tokens) {
    const text = blockToken(token, ignoreCase);
    if (text === undefined) return undefined;
    source += text;
  }
  return source;
}

function blockToken(token: PatternToken, ignoreCase: boolean): string | undefined {
  if (seesElsewhere(token)) return undefined;
  if (token.kind === "escape") return blockEscape(token.text, ignoreCase);
  if (token.kind === "class") return blockClass(token.text, ignoreCase);
  return token.text === "\n" ? undefined : token.text;
}

/** Letters, marks, numbers, punctuation and symbols: no control characters. */
const VISIBLE_PROPERTY = /\\p\{[LMNPS][a-z]?\}/g;

function blockEscape(text: string, ignoreCase: boolean): string | undefined {
  if (/^\\(?:[dwSbBtrfv0]|[^\dA-Za-z\n])$/.test(text)) return text;
  const code = codeOf(text);
  if (code !== undefined) return code === LINE_FEED ? undefined : text;
  if (text.replace(VISIBLE_PROPERTY, "") === "") return text;
  if (text === "\\s") return "[^\\S\\n]";
  if (text === "\\D") return "[^\\d\\n]";
  // With the flag `i`, a negation outside of a class differs from one inside.
  if (ignoreCase) return undefined;
  if (text === "\\W") return "[^\\w\\n]";
  return text.startsWith("\\P{") ? `[^\\p${text.slice(2)}\\n]` : undefined;
}

/** The character that an escape such as `\x0a`, `\u000a`, `\u{a}` or `\cJ` stands for. */
function codeOf(escape: string): number | undefined {
  const [, hex] = /^\\[xu]\{?([\da-f]+)\}?$/i.exec(escape) ?? [];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  return /^\\c[a-z]$/i.test(escape) ? escape.charCodeAt(2) & 31 : undefined;
}

function blockClass(text: string, ignoreCase: boolean): string | undefined {
  if (text.startsWith("[^")) {
    if (ignoreCase && /\\[A-Z]/.test(text)) return undefined;
    // A dash in first position is literal; after another character it would make a range.
    return `[^\\n${text.startsWith("[^-") ? "\\" : ""}${text.slice(2)}`;
  }
  // Escapes that may include a line feed or begin a range below it, and ranges that begin below it.
  const known = text.replace(VISIBLE_PROPERTY, "");
  return /\\[nsWDPpxucb\d]|[^\P{Cc}\t]|(?:\t|\\t)-/u.test(known) ? undefined : text;
}
