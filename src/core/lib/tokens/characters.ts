/** The kinds of characters that the estimate distinguishes. */
export const Kind = {
  symbol: 0,
  space: 1,
  newline: 2,
  digit: 3,
  upper: 4,
  lower: 5,
  /** A letter of a script other than Latin. */
  script: 6,
} as const;

export const SPACE = 0x20;
const BACKSLASH = 0x5c;

const ASCII_KIND = buildAsciiKinds();
const OPENER_COST = buildOpenerCosts();
const BLOCK_COST = buildBlockCosts();

/** Kind of a UTF-16 code unit. */
export function kindOf(code: number): number {
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
export function openerCost(code: number): number {
  return OPENER_COST[code] ?? 1;
}

/** Tokens per letter of a script other than Latin. */
export function scriptCost(code: number): number {
  return BLOCK_COST[code >> 8] ?? 1;
}

/** Tokens per symbol. Control characters, as in terminal colors, hardly merge with what follows. */
export function symbolCost(code: number): number {
  if (code < SPACE) return 1.5;
  if (code < 0x80) return 0.45;
  return code < 0x100 ? 0.9 : (BLOCK_COST[code >> 8] ?? 1);
}

/** Drawn lines and boxes take few tokens; repeated backslashes, as in nested JSON, take more. */
export function repeatedSymbolCost(code: number): number {
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
export function cutChance(first: number, second: number): number {
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
