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

/**
 * The cost of a word: `base`, plus `gentle` per unit of cut chance up to `knee` and `steep` beyond,
 * because common words are whole tokens and unlikely ones are split.
 */
interface WordCost {
  readonly base: number;
  readonly gentle: number;
  readonly knee: number;
  readonly steep: number;
}

/** The four ways a word is cased; each after a space, then each without one. */
const LOWER = 0;
const TITLE = 1;
const UPPER = 2;
const MIXED = 3;
const WITHOUT_SPACE = 4;
const WORD_COSTS: readonly WordCost[] = [
  { base: 1, gentle: 0.2, knee: 0.65, steep: 1.25 },
  { base: 1, gentle: 0.4, knee: 0.5, steep: 1.25 },
  { base: 1.05, gentle: 0.8, knee: 1, steep: 1.1 },
  { base: 1.5, gentle: 0.5, knee: 2, steep: 0.9 },
  { base: 1, gentle: 0.35, knee: 0.6, steep: 1.25 },
  { base: 1, gentle: 0.4, knee: 0.3, steep: 1.15 },
  { base: 1.1, gentle: 1.08, knee: 1, steep: 1.08 },
  { base: 1.8, gentle: 0.9, knee: 1, steep: 0.9 },
];

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
 */
export function weighPieces(text: string, start: number, end: number): number {
  return new PieceWalker(text, start, end).weigh();
}

class PieceWalker {
  private tokens = 0;

  constructor(
    private readonly text: string,
    private at: number,
    private readonly end: number,
  ) {}

  weigh(): number {
    while (this.at < this.end) {
      switch (this.kindAt(this.at)) {
        case Kind.space:
        case Kind.newline:
          this.takeBlanks();
          break;
        case Kind.digit:
          this.takeDigits();
          break;
        case Kind.upper:
        case Kind.lower:
          this.takeWord(WITHOUT_SPACE);
          break;
        case Kind.script:
          this.takeScript();
          break;
        default:
          this.takeSymbols();
      }
    }
    return this.tokens;
  }

  /** The kind at an index, `Kind.newline` past the end: no piece goes on there. */
  private kindAt(index: number): number {
    return index < this.end ? kindOf(this.text.charCodeAt(index)) : Kind.newline;
  }

  /** The last blank before a word or a symbol belongs to that piece, as in tokenizers. */
  private takeBlanks(): void {
    const first = this.at;
    let afterNewline = first;
    let kind = this.kindAt(this.at);
    while (this.at < this.end && (kind === Kind.space || kind === Kind.newline)) {
      this.at += 1;
      if (kind === Kind.newline) afterNewline = this.at;
      kind = this.kindAt(this.at);
    }
    const lead = afterNewline - first;
    if (lead > 0) this.tokens += Math.ceil(lead / NEWLINES_PER_TOKEN);
    const blanks = this.at - afterNewline;
    if (blanks === 0) return;
    if (this.at >= this.end) {
      this.tokens += Math.ceil(blanks / BLANKS_PER_TOKEN);
      return;
    }
    if (blanks > 1) this.tokens += Math.ceil((blanks - 1) / BLANKS_PER_TOKEN);
    const last = this.text.charCodeAt(this.at - 1);
    if (kind === Kind.upper || kind === Kind.lower) {
      if (last !== SPACE) this.tokens += openerCost(last);
      this.takeWord(last === SPACE ? 0 : WITHOUT_SPACE);
    } else if (kind === Kind.digit || last !== SPACE) {
      this.tokens += 1;
    }
  }

  private takeDigits(): void {
    const first = this.at;
    do this.at += 1;
    while (this.kindAt(this.at) === Kind.digit);
    this.tokens += Math.ceil((this.at - first) / DIGITS_PER_TOKEN);
  }

  /** Upper case letters, then lower case ones: `camelCase` is two words, `HTTPServer` is one. */
  private takeWord(costOffset: number): void {
    const first = this.at;
    let at = first;
    let kind = this.kindAt(at);
    let cut = 0;
    let beforeLast = 0;
    let last = 0;
    let uppers = 0;
    while (kind === Kind.upper || kind === Kind.lower) {
      const code = this.text.charCodeAt(at);
      if (code >= 0x80 || last >= 0x80) cut += ACCENT_CUT;
      else if (code === last && code === beforeLast) cut += REPEATED_LETTER_CUT;
      else cut += cutChance(last, code);
      beforeLast = last;
      last = code;
      at += 1;
      if (kind === Kind.upper) uppers += 1;
      kind = this.kindAt(at);
      if (kind === Kind.upper && at - first > uppers) break;
    }
    this.at = at;
    const length = at - first;
    const casing = uppers === 0 ? LOWER : uppers === 1 ? TITLE : uppers === length ? UPPER : MIXED;
    const cost = WORD_COSTS[casing + costOffset];
    if (cost === undefined) return;
    const soft = Math.min(cut, cost.knee);
    this.tokens += cost.base + cost.gentle * soft + cost.steep * (cut - soft);
    this.takeContraction();
  }

  /** `'s` or `'ll` belongs to its word and rarely costs a token of its own. */
  private takeContraction(): void {
    if (this.at >= this.end || this.text.charCodeAt(this.at) !== APOSTROPHE) return;
    let letters = 0;
    while (letters < 3 && this.kindAt(this.at + 1 + letters) === Kind.lower) letters += 1;
    if (letters === 0 || letters === 3) return;
    const last = this.text.charCodeAt(this.at + letters);
    // `'re`, `'ve`, `'ll`: any other two letters are a quoted word.
    if (letters === 2 && last !== LETTER_E && last !== LETTER_L) return;
    this.at += 1 + letters;
    this.tokens += CONTRACTION_COST;
  }

  /** Han and kana have no spaces; in alphabets a run is a word, and at least one token. */
  private takeScript(): void {
    let cost = SCRIPT_RUN_COST;
    do {
      cost += scriptCost(this.text.charCodeAt(this.at));
      this.at += 1;
    } while (this.kindAt(this.at) === Kind.script);
    this.tokens += Math.max(1, cost);
  }

  /** A single symbol before a letter belongs to that word; several symbols are a piece of their own. */
  private takeSymbols(): void {
    const opener = this.text.charCodeAt(this.at);
    const next = this.kindAt(this.at + 1);
    if (next === Kind.upper || next === Kind.lower) {
      this.at += 1;
      this.tokens += openerCost(opener);
      this.takeWord(WITHOUT_SPACE);
      return;
    }
    let cost = 0;
    let last = -1;
    do {
      const code = this.text.charCodeAt(this.at);
      cost += code === last ? repeatedSymbolCost(code) : symbolCost(code);
      last = code;
      this.at += 1;
    } while (this.kindAt(this.at) === Kind.symbol);
    this.tokens += Math.max(1, cost);
    // Line breaks right after symbols are part of their token, as in `{` at the end of a line.
    let breaks = 0;
    while (this.at < this.end && isBreakOrSlash(this.text.charCodeAt(this.at))) {
      this.at += 1;
      breaks += 1;
    }
    this.tokens += Math.floor(breaks / NEWLINES_PER_TOKEN);
  }
}

function isBreakOrSlash(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === SLASH;
}
