import type { PatternToken } from "./pattern-tokens.js";

/** What is known of a regular expression from its source, to search with less work. */
export interface PatternShape {
  /** A text that stands in every match, the longest that was seen; "" where none is known. */
  readonly required: string;
  /** The source to run over many lines at once, or undefined where each line needs a run of its own. */
  readonly blockSource: string | undefined;
}

/**
 * Reads the shape off the pieces. It may miss a required text, but never claims one. The block's
 * source finds a match that begins in a line wherever the line alone would match; it may find more.
 */
export function shapeOf(tokens: readonly PatternToken[], ignoreCase: boolean): PatternShape {
  return { required: requiredText(tokens, ignoreCase), blockSource: blockSource(tokens) };
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
      // A repeated character stands once for certain, and is followed by what nobody knows.
      if (/^(?:\+|\{0*[1-9])/.test(next.text)) run += char;
      endRun();
    }
  }
  endRun();
  return longest;
}

/** The character that a piece stands for, if it is one. */
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

const WITHOUT_LINE_FEED: Readonly<Record<string, string>> = {
  "\\s": "[^\\S\\n]",
  "\\W": "[^\\w\\n]",
  "\\D": "[^\\d\\n]",
};

function blockSource(tokens: readonly PatternToken[]): string | undefined {
  let source = "";
  for (const token of tokens) {
    const text = blockToken(token);
    if (text === undefined) return undefined;
    source += text;
  }
  return source;
}

function blockToken({ kind, text }: PatternToken): string | undefined {
  if (kind === "escape") {
    if (/^\\(?:[1-9]|k<)/.test(text)) return undefined;
    if (text.startsWith("\\P{")) return `[^\\p${text.slice(2)}\\n]`;
    return WITHOUT_LINE_FEED[text] ?? text;
  }
  if (kind === "class") {
    if (text.startsWith("[^")) return `[^\\n${text.slice(2)}`;
    return /\\[sWDP]/.test(text) ? undefined : text;
  }
  // Whatever looks around could see the line before or after.
  if (kind === "open" && /^\(\?(?:<?[=!]|[a-z-]*:)/i.test(text) && text !== "(?:") return undefined;
  return text;
}
