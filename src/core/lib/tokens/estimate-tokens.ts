import { LINE_FEED, SPACE } from "../text/code-units.js";

/** Counts the tokens of a text. Pass an exact tokenizer if the estimate is not good enough. */
export type CountTokens = (text: string) => number;

/** A text up to this length is read completely; a longer one is sampled. */
const MAX_WHOLE_CHARS = 4_608;
const WINDOW_COUNT = 32;
const WINDOW_CHARS = 144;
/** How far a window's edge may move to reach a line break or a blank. */
const MAX_EDGE_SHIFT = 96;
/** Shifts each window within its share, so that a periodic text is sampled in all its parts. */
const GOLDEN_RATIO = 0.618_033_988_749_895;

/** Estimates the tokens of a text: a whole number, 0 only for the empty one. Long texts are sampled. */
export function weighText(text: string): number {
  if (text.length === 0) return 0;
  const tokens =
    text.length <= MAX_WHOLE_CHARS ? weighPieces(text, 0, text.length) : weighWindows(text);
  return Math.max(1, Math.round(tokens));
}

/** One window in each of 32 equal parts of the text, scaled up to its length. */
function weighWindows(text: string): number {
  const share = text.length / WINDOW_COUNT;
  let tokens = 0;
  let charsRead = 0;
  for (let index = 0; index < WINDOW_COUNT; index++) {
    const shift = (share - WINDOW_CHARS) * ((index * GOLDEN_RATIO) % 1);
    const from = Math.floor(index * share + shift);
    const start = nextEdge(text, from);
    const end = nextEdge(text, from + WINDOW_CHARS);
    tokens += weighPieces(text, start, end);
    charsRead += end - start;
  }
  return (tokens / charsRead) * text.length;
}

/** The next space or line break, so that no word is cut; `from` itself if there is none nearby. */
function nextEdge(text: string, from: number): number {
  if (from <= 0) return 0;
  const limit = Math.min(text.length, from + MAX_EDGE_SHIFT);
  for (let index = from; index < limit; index++) {
    const code = text.charCodeAt(index);
    if (code === LINE_FEED || code === SPACE) return index;
  }
  return Math.min(from, text.length);
}

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
function weighPieces(text: string, start: number, end: number): number {
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

/** The kinds of characters that the estimate distinguishes. */
const Kind = {
  symbol: 0,
  space: 1,
  newline: 2,
  digit: 3,
  upper: 4,
  lower: 5,
  /** A letter of a script other than Latin. */
  script: 6,
} as const;

const BACKSLASH = 0x5c;

const ASCII_KIND = buildAsciiKinds();
const OPENER_COST = buildOpenerCosts();
const BLOCK_COST = buildBlockCosts();

/** Kind of a UTF-16 code unit. */
function kindOf(code: number): number {
  return code < 0x80 ? (ASCII_KIND[code] ?? Kind.symbol) : wideKindOf(code);
}

/** By Unicode block, ignoring single exceptions. Surrogates are mostly emoji, and so symbols. */
function wideKindOf(code: number): number {
  if (code < 0xc0) return code === 0xa0 ? Kind.space : Kind.symbol;
  if (code < 0x250) return code === 0xd7 || code === 0xf7 ? Kind.symbol : Kind.lower;
  if (code < 0x1e00) return Kind.script;
  if (code < 0x1f00) return Kind.lower;
  if (code < 0x2000) return Kind.script;
  if (code < 0x2c00) return Kind.symbol;
  if (code < 0x3000) return Kind.script;
  if (code < 0x3040) return Kind.symbol;
  return code < 0xd800 ? Kind.script : Kind.symbol;
}

/** What a symbol or tab adds to the word that it precedes (`.name`, `"name`): little for common pairs. */
function openerCost(code: number): number {
  return OPENER_COST[code] ?? 1;
}

/** Tokens per letter of a script other than Latin. */
function scriptCost(code: number): number {
  return BLOCK_COST[code >> 8] ?? 1;
}

/** Tokens per symbol. Control characters, as in terminal colors, hardly merge with what follows. */
function symbolCost(code: number): number {
  if (code < SPACE) return 1.5;
  if (code < 0x80) return 0.45;
  return code < 0x100 ? 0.9 : (BLOCK_COST[code >> 8] ?? 1);
}

/** Drawn lines and boxes take few tokens; repeated backslashes, as in nested JSON, take more. */
function repeatedSymbolCost(code: number): number {
  if (code === BACKSLASH) return 0.6;
  if (code < 0x80) return 0.03;
  return code < 0x100 ? 0.5 : 0.12;
}

function buildAsciiKinds(): Uint8Array {
  const kinds = new Uint8Array(128).fill(Kind.symbol);
  kinds.fill(Kind.digit, 0x30, 0x3a);
  kinds.fill(Kind.upper, 0x41, 0x5b);
  kinds.fill(Kind.lower, 0x61, 0x7b);
  for (const code of [0x09, 0x0b, 0x0c, SPACE]) kinds[code] = Kind.space;
  for (const code of [0x0a, 0x0d]) kinds[code] = Kind.newline;
  return kinds;
}

function buildOpenerCosts(): Float64Array {
  const costs = new Float64Array(128).fill(0.8);
  const set = (symbols: string, cost: number): void => {
    for (const symbol of symbols) costs[symbol.charCodeAt(0)] = cost;
  };
  set("(._", 0.1);
  set("\t\\-[=$)%", 0.3);
  set("/<", 0.5);
  return costs;
}

/** Tokens per code unit past Latin, by the high byte of its code. */
function buildBlockCosts(): Float64Array {
  const costs = new Float64Array(256).fill(1.5);
  const set = (first: number, last: number, cost: number): void => {
    costs.fill(cost, first, last + 1);
  };
  set(0x03, 0x03, 0.3); // Greek
  set(0x04, 0x04, 0.22); // Cyrillic
  set(0x05, 0x05, 0.3); // Armenian, Hebrew
  set(0x06, 0x07, 0.26); // Arabic
  set(0x08, 0x10, 0.32); // the scripts of India, Thai, Lao, Georgian
  set(0x11, 0x11, 1); // Hangul letters
  set(0x1f, 0x1f, 0.5); // Greek with accents
  set(0x20, 0x20, 0.6); // dashes, quotation marks, ellipsis
  set(0x21, 0x24, 1); // arrows, mathematics
  set(0x25, 0x25, 0.8); // lines and boxes
  set(0x26, 0x27, 1.1); // pictographs
  set(0x28, 0x2b, 2); // Braille, more arrows and mathematics
  set(0x30, 0x30, 0.65); // kana, CJK punctuation
  set(0x31, 0x33, 1.3);
  set(0x34, 0x4d, 2.8); // rare Han
  set(0x4e, 0x9f, 0.7); // Han
  set(0xa0, 0xab, 2);
  set(0xac, 0xd7, 0.55); // Hangul syllables
  set(0xd8, 0xdf, 1); // surrogates: two make an emoji
  set(0xe0, 0xf8, 2.7); // private use
  set(0xfe, 0xfe, 1); // variation selectors
  set(0xff, 0xff, 0.8); // full-width forms
  return costs;
}

/**
 * How often a tokenizer cuts between two letters, in tenths: the row is the first letter, the column
 * the second, a to z. Pairs that are common in words are low, pairs in ids and hashes are high, which
 * distinguishes `checkpoint` from `xqzfkwbd` without a vocabulary. Measured on mixed tool output.
 */
const CUT_TENTHS = [
  "30005203231000506000202102",
  "23451645257055158124277517",
  "14130460271045146130257636",
  "22521455156456257314246436",
  "23102224474100533000532025",
  "25452147185154158131365338",
  "33661731279142269124256738",
  "25650766276455246341465634",
  "11000004431000004000606160",
  "35651778545574247626376979",
  "45761834384553479535454939",
  "25510557275155149622247719",
  "11631656265215215513355529",
  "25101304342452259610237525",
  "30106113331000208010010237",
  "16441531373035117111256439",
  "66577998699166863354088889",
  "25210426282322056210326608",
  "36251641272336224610244736",
  "27251570176446149012254316",
  "31111315152000708000644243",
  "16450757195546258355556768",
  "25631661386652259224763449",
  "55454698399567729762889347",
  "57463959696332429424796745",
  "37851764397974489775494533",
];

/** Indexed by the low five bits of both letters, so that case does not matter. */
const CUT_CHANCE = buildCutChances();

/** The chance, 0 to 1, that a token ends between two ASCII letters. */
function cutChance(first: number, second: number): number {
  return CUT_CHANCE[((first & 31) << 5) | (second & 31)] ?? 0;
}

function buildCutChances(): Float64Array {
  const chances = new Float64Array(1024);
  CUT_TENTHS.forEach((row, first) => {
    for (let second = 0; second < row.length; second++) {
      chances[((first + 1) << 5) | (second + 1)] = Number(row.charAt(second)) / 10;
    }
  });
  return chances;
}
