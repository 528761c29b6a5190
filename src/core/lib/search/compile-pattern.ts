import { encodeWtf8 } from "../text/wtf8.js";
import { MAX_NEEDLE_BYTES } from "./search-buffer.js";
import { explainForeignSyntax } from "./foreign-syntax.js";
import { PatternError, type SearchQuery } from "./search-terms.js";
import { literalChar, type PatternToken, shapeOf, tokenizePattern } from "./pattern-shape.js";

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
    requiredBytes: required.subarray(0, MAX_NEEDLE_BYTES),
    isPlain: true,
    longestMatch: text.length,
    exact: required.length <= MAX_NEEDLE_BYTES,
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
    requiredBytes: required?.subarray(0, MAX_NEEDLE_BYTES),
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
function splitInlineFlags(pattern: string, ignoreCase: boolean): { source: string; flags: string } {
  const inline = /^(?:\(\?[ims]+\))*/.exec(pattern)?.[0] ?? "";
  const has = (flag: string): boolean => inline.includes(flag);
  return {
    source: pattern.slice(inline.length),
    flags: (ignoreCase || has("i") ? "i" : "") + (has("s") ? "s" : ""),
  };
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
