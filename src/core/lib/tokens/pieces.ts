import { LINE_FEED } from "../text/scan-bytes.js";
import {
  cutChance,
  Kind,
  kindOf,
  openerCost,
  repeatedSymbolCost,
  scriptCost,
  SPACE,
  symbolCost,
} from "./characters.js";

/** The four ways a word is cased; each after a space, then each without one. */
const LOWER = 0;
const TITLE = 1;
const UPPER = 2;
const MIXED = 3;
const WITHOUT_SPACE = 4;
/**
 * The cost of a word: a base, plus `GENTLE` per unit of cut chance up to `KNEE` and `STEEP` beyond,
 * because common words are whole tokens and unlikely ones are split.
 */
const BASE = Float64Array.of(1, 1, 1.05, 1.5, 1, 1, 1.1, 1.8);
const GENTLE = Float64Array.of(0.2, 0.4, 0.8, 0.5, 0.35, 0.4, 1.08, 0.9);
const KNEE = Float64Array.of(0.65, 0.5, 1, 2, 0.6, 0.3, 1, 1);
const STEEP = Float64Array.of(1.25, 1.25, 1.1, 0.9, 1.25, 1.15, 1.08, 0.9);

const CARRIAGE_RETURN = 0x0d;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const LETTER_E = 0x65;
const LETTER_L = 0x6c;
const DIGITS_PER_TOKEN = 3;
/** A letter, line break or blank repeated many times is covered by few long tokens. */
const REPEATED_LETTER_CUT = 0.1;
const NEWLINES_PER_TOKEN = 16;
const BLANKS_PER_TOKEN = 100;
const ACCENT_CUT = 0.3;
const CONTRACTION_COST = 0.3;
const SCRIPT_RUN_COST = 0.3;

/**
 * Tokens in `text` from `start` to `end`, as a fraction. It cuts the text into the pieces that a
 * byte pair tokenizer cuts it into before merging (a word with the symbol in front of it, up to
 * three digits, symbols, blanks), and weighs each piece, since no token crosses pieces. Each
 * character is read a fixed number of times, whatever the text.
 *
 * One function with local variables, since every result passes through it: small functions for each
 * kind of piece are no longer inlined by the engine, and take twice the time.
 */
export function weighPieces(text: string, start: number, end: number): number {
  let tokens = 0;
  let at = start;
  // The character at `at`, and its kind; past the end a line break, which ends every piece.
  let code = at < end ? text.charCodeAt(at) : LINE_FEED;
  let kind: number = kindOf(code);
  let isAfterSpace = false;
  while (at < end) {
    if (kind === Kind.lower || kind === Kind.upper) {
      // Upper case letters, then lower case ones: `camelCase` is two words, `HTTPServer` is one.
      const first = at;
      let cut = 0;
      let beforeLast = 0;
      let last = 0;
      let uppers = 0;
      do {
        if (code >= 0x80 || last >= 0x80) cut += ACCENT_CUT;
        else if (code === last && code === beforeLast) cut += REPEATED_LETTER_CUT;
        else cut += cutChance(last, code);
        beforeLast = last;
        last = code;
        if (kind === Kind.upper) uppers += 1;
        at += 1;
        if (at >= end) {
          code = LINE_FEED;
          kind = Kind.newline;
          break;
        }
        code = text.charCodeAt(at);
        kind = kindOf(code);
      } while (kind === Kind.lower || (kind === Kind.upper && at - first === uppers));
      const cased =
        uppers === 0 ? LOWER : uppers === 1 ? TITLE : uppers === at - first ? UPPER : MIXED;
      const casing = isAfterSpace ? cased : cased + WITHOUT_SPACE;
      const soft = Math.min(cut, KNEE[casing] ?? 0);
      tokens += (BASE[casing] ?? 1) + (GENTLE[casing] ?? 0) * soft;
      tokens += (STEEP[casing] ?? 0) * (cut - soft);
      isAfterSpace = false;
      const contraction = code === APOSTROPHE ? contractionLength(text, at, end) : 0;
      if (contraction > 0) {
        at += contraction;
        tokens += CONTRACTION_COST;
        code = at < end ? text.charCodeAt(at) : LINE_FEED;
        kind = kindOf(code);
      }
    } else if (kind === Kind.space || kind === Kind.newline) {
      const first = at;
      let afterNewline = first;
      let last: number;
      do {
        at += 1;
        if (kind === Kind.newline) afterNewline = at;
        last = code;
        code = at < end ? text.charCodeAt(at) : LINE_FEED;
        kind = kindOf(code);
      } while (at < end && (kind === Kind.space || kind === Kind.newline));
      if (afterNewline > first) tokens += Math.ceil((afterNewline - first) / NEWLINES_PER_TOKEN);
      const blanks = at - afterNewline;
      if (blanks === 0) continue;
      // The last blank before a word or a symbol belongs to that piece, as in tokenizers.
      const own = at < end ? blanks - 1 : blanks;
      if (own > 0) tokens += Math.ceil(own / BLANKS_PER_TOKEN);
      if (at >= end) break;
      isAfterSpace = last === SPACE && (kind === Kind.lower || kind === Kind.upper);
      if (kind === Kind.digit) tokens += 1;
      else if (last !== SPACE)
        tokens += kind === Kind.lower || kind === Kind.upper ? openerCost(last) : 1;
    } else if (kind === Kind.digit) {
      const first = at;
      do {
        at += 1;
        code = at < end ? text.charCodeAt(at) : LINE_FEED;
        kind = kindOf(code);
      } while (kind === Kind.digit);
      tokens += Math.ceil((at - first) / DIGITS_PER_TOKEN);
    } else if (kind === Kind.script) {
      // Han and kana have no spaces; in alphabets a run is a word, and at least one token.
      let cost = SCRIPT_RUN_COST;
      do {
        cost += scriptCost(code);
        at += 1;
        code = at < end ? text.charCodeAt(at) : LINE_FEED;
        kind = kindOf(code);
      } while (kind === Kind.script);
      tokens += Math.max(1, cost);
    } else {
      let last = code;
      at += 1;
      code = at < end ? text.charCodeAt(at) : LINE_FEED;
      kind = kindOf(code);
      if (kind === Kind.lower || kind === Kind.upper) {
        // A single symbol before a letter belongs to that word; several are a piece of their own.
        tokens += openerCost(last);
        continue;
      }
      let cost = symbolCost(last);
      while (kind === Kind.symbol) {
        cost += code === last ? repeatedSymbolCost(code) : symbolCost(code);
        last = code;
        at += 1;
        code = at < end ? text.charCodeAt(at) : LINE_FEED;
        kind = kindOf(code);
      }
      tokens += Math.max(1, cost);
      // Line breaks right after symbols are part of their token, as in `{` at the end of a line.
      const first = at;
      while (at < end && (code === LINE_FEED || code === CARRIAGE_RETURN || code === SLASH)) {
        at += 1;
        code = at < end ? text.charCodeAt(at) : LINE_FEED;
      }
      tokens += Math.floor((at - first) / NEWLINES_PER_TOKEN);
      kind = kindOf(code);
    }
  }
  return tokens;
}

/** `'s` or `'ll` belongs to its word and rarely costs a token of its own. */
function contractionLength(text: string, at: number, end: number): number {
  let letters = 0;
  while (letters < 3 && isLower(text, at + 1 + letters, end)) letters += 1;
  if (letters === 0 || letters === 3) return 0;
  const last = text.charCodeAt(at + letters);
  // `'re`, `'ve`, `'ll`: any other two letters are a quoted word.
  if (letters === 2 && last !== LETTER_E && last !== LETTER_L) return 0;
  return 1 + letters;
}

function isLower(text: string, at: number, end: number): boolean {
  return at < end && kindOf(text.charCodeAt(at)) === Kind.lower;
}
