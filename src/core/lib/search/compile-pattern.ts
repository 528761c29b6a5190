import { LINE_FEED } from "../text/code-units.js";
import { quote, shorten } from "../text/quote.js";
import { encodeWtf8 } from "../text/wtf8.js";
import { type SearchQuery, PatternError } from "./search-terms.js";

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

/** A pattern as it was most likely meant. */
export interface RereadPattern extends Pick<SearchQuery, "pattern" | "ignoreCase"> {
  /** True if the start of a line is also where the text behind its number or time begins. */
  readonly isBehind: boolean;
}

/** What tools put in front of a line: the columns of a CI log, a number, a date, a time. */
const BEHIND = "^(?:[^\\t]+\\t[^\\t]+\\t)?(?:\\s*\\d\\S*[\\s→:|]+){0,2}";

const SLASHED = /^\/(.+)\/([dgimsuvy]*)$/s;
const FLAGS = /\(\?([ims]+)([:)])/g;
const ANY_ESCAPE = /\\([^])/g;
/** Escapes of grep that stand for something else in JavaScript, where they are plain characters. */
const GREP_ESCAPES: Readonly<Record<string, string>> = { "<": "\\b", ">": "\\b", "|": "|" };

/**
 * Reads a pattern as the syntax of another tool: `/error/i`, `(?i:error)`, `a|(?i)b`, `\<word\>`, `one\|two`,
 * and takes `^` for where the text of a line begins, since a reference quotes lines without the time in
 * front of them. All of these also mean something in JavaScript, or may come to, so this is for a
 * pattern that matched nothing as it stands. Undefined if it would mean the same.
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
    .replace(FLAGS, (_, letters: string, end: string) => {
      flags += letters;
      return end === ":" ? "(?:" : "";
    })
    .replace(ANY_ESCAPE, (escape, letter: string) => GREP_ESCAPES[letter] ?? escape);
  const behind = tokenizePattern(read)
    .map(({ kind, text }) => (kind === "anchor" && text === "^" ? BEHIND : text))
    .join("");
  if (behind === pattern) return undefined;
  return {
    pattern: behind,
    ignoreCase: ignoreCase || `${slashFlags}${flags}`.includes("i"),
    isBehind: behind !== read,
  };
}

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
    if (token.kind === "quantifier") times *= Math.max(1, maxRepeats(token.text));
    else if (/^(?:char|escape|dot)$/.test(token.kind)) units += 2;
    // "[[:x:]]" is a class and a bracket.
    else if (token.kind === "class") units += 4;
  }
  return units * times;
}

function maxRepeats(quantifier: string): number {
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

/** Where a match lies in a text; `end` is past its last character. */
export interface Span {
  readonly index: number;
  readonly end: number;
}

/** A pattern that is ready to be searched for. */
export interface CompiledPattern {
  /** The first match in a line's text that begins at `from` or later. */
  find(text: string, from: number): Span | undefined;
  /** Bytes that every matching line holds. */
  readonly requiredBytes: Uint8Array | undefined;
  /** True for plain text, which is searched for in linear time. */
  readonly isPlain: boolean;
  /** See `PatternShape`. */
  readonly longestMatch: number;
  /** True if a line matches if and only if it holds `requiredBytes`. */
  readonly exact: boolean;
  /**
   * Searches many lines at once: a position, from `from` on, in the next line that may match; -1 if
   * there is none. Undefined if each line must be searched on its own.
   */
  readonly findInBlock: ((text: string, from: number) => number) | undefined;
}

/** A required text that occurs on nearly every line saves no work. */
const ON_MOST_LINES = /^[a-z\d .:/-]?$/i;

/**
 * Compiles a query's pattern.
 *
 * @throws PatternError when it is empty or not a regular expression.
 */
export function compilePattern(
  query: Pick<SearchQuery, "pattern" | "literal" | "ignoreCase">,
): CompiledPattern {
  const { pattern } = query;
  if (pattern === "") {
    throw new PatternError("it is empty and would match every line");
  }
  if (query.literal) return compileLiteral(pattern, query.ignoreCase);
  const { source, flags } = splitInlineFlags(pattern, query.ignoreCase);
  if (source === "") {
    throw new PatternError("it has flags but nothing to look for");
  }
  const tokens = tokenizePattern(source);
  const advice = explainForeignSyntax(tokens);
  if (advice !== undefined) throw new PatternError(advice);
  const plain = plainText(tokens);
  if (plain !== undefined) return compileLiteral(plain, flags.includes("i"));
  return compileExpression(source, tokens, flags);
}

function compileLiteral(text: string, ignoreCase: boolean): CompiledPattern {
  if (text.includes("\n")) {
    throw new PatternError(
      "it holds a line break, and the search goes line by line; search for one of its lines and ask for context lines",
    );
  }
  const required = ignoreCase ? undefined : asBytes(text);
  if (required === undefined) {
    const source = text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    const expression = compileExpression(source, tokenizePattern(source), ignoreCase ? "i" : "");
    return { ...expression, isPlain: true };
  }
  return {
    find: (line, from) => {
      const index = line.indexOf(text, from);
      return index === -1 ? undefined : { index, end: index + text.length };
    },
    requiredBytes: required,
    isPlain: true,
    longestMatch: text.length,
    exact: true,
    findInBlock: undefined,
  };
}

function compileExpression(
  source: string,
  tokens: readonly PatternToken[],
  flags: string,
): CompiledPattern {
  const expression = compile(source, `${flags}g`);
  const shape = shapeOf(tokens, flags.includes("i"));
  const required = ON_MOST_LINES.test(shape.required) ? undefined : asBytes(shape.required);
  const block =
    required === undefined && !flags.includes("s")
      ? blockExpression(shape.blockSource, expression.flags)
      : undefined;
  return {
    find: (text, from) => {
      const match = run(expression, text, from);
      return match === null
        ? undefined
        : { index: match.index, end: match.index + match[0].length };
    },
    requiredBytes: required,
    isPlain: false,
    longestMatch: shape.longestMatch,
    exact: false,
    findInBlock: block && ((text, from) => run(block, text, from)?.index ?? -1),
  };
}

/** Runs an expression; whether it is too large is known only now. */
function run(expression: RegExp, text: string, from: number): RegExpExecArray | null {
  expression.lastIndex = from;
  try {
    return expression.exec(text);
  } catch (error) {
    throw new PatternError(objection(error));
  }
}

function compile(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch (strict) {
    // Without `u` a needless backslash or a lone brace is allowed, but \p{L} would mean "p{L}".
    if (/\\[pP]\{|\\u\{/.test(source)) throw new PatternError(objection(strict));
    try {
      return new RegExp(source, flags);
    } catch (error) {
      throw new PatternError(objection(error));
    }
  }
}

function blockExpression(source: string | undefined, flags: string): RegExp | undefined {
  if (source === undefined) return undefined;
  try {
    return new RegExp(source, `${flags}m`);
  } catch {
    return undefined;
  }
}

/** The engine's message without the pattern, which it repeats in full. */
function objection(error: unknown): string {
  const { message } = error as { message?: unknown };
  return String(message).replace(/^Invalid regular expression: \/[^]*\/[a-z]*: /, "");
}

/** Removes `(?i)`, `(?m)` and `(?s)` from the start. Lines are searched one by one, so `m` changes nothing. */
const INLINE_FLAGS = /^(?:\(\?[ims]+\))*/;

function splitInlineFlags(pattern: string, ignoreCase: boolean): { source: string; flags: string } {
  const inline = INLINE_FLAGS.exec(pattern)?.[0] ?? "";
  const has = (flag: string): boolean => inline.includes(flag);
  return {
    source: pattern.slice(inline.length),
    flags: (ignoreCase || has("i") ? "i" : "") + (has("s") ? "s" : ""),
  };
}

/** What an expression looks for, where it names several things one after the other: `a|b`. */
export function alternativesOf(pattern: string): readonly string[] {
  const inline = INLINE_FLAGS.exec(pattern)?.[0] ?? "";
  const found = [inline];
  let depth = 0;
  for (const { kind, text } of tokenizePattern(pattern.slice(inline.length))) {
    if (kind === "open" && !text.endsWith(")")) depth += 1;
    if (kind === "close") depth -= 1;
    if (kind === "alternative" && depth === 0) found.push(inline);
    else found.push(`${found.pop() ?? ""}${text}`);
  }
  return found;
}

/** The text that the tokens match, if none of them is special. */
function plainText(tokens: readonly PatternToken[]): string | undefined {
  let text = "";
  for (const token of tokens) {
    const char = literalChar(token);
    if (char === undefined) return undefined;
    text += char;
  }
  return text;
}

/** The bytes to search for instead of the text, if the two are equivalent. */
function asBytes(text: string): Uint8Array | undefined {
  // A surrogate pair may be stored as one character or as two halves; bytes that are not text are
  // read as U+FFFD; and a "\r" may belong to the line break.
  return /[\r\ufffd\ud800-\udfff]/.test(text) ? undefined : encodeWtf8(text);
}
