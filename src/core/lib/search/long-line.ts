import type { CompiledPattern, Span } from "./compile-pattern.js";
import { PatternError } from "./search-terms.js";
import { windowAround, type LineWindow } from "./match-collector.js";

/** How much of a line is kept before and behind the places that are searched. */
const OVERLAP_CHARS = 65_536;
/** The longest line that is held whole for a pattern that needs it. */
const WHOLE_LINE_CHARS = 67_108_864;

const TOO_LONG =
  `a line has more than ${WHOLE_LINE_CHARS} characters, and what may match any number of them, or ` +
  "looks around, needs the whole line; bound the repetitions, as in .{0,200}, and do not look around";

/** A match in a long line, and what is shown of it. */
export interface LongLineMatch {
  readonly index: number;
  readonly window: LineWindow;
}

/**
 * A line that is searched while it comes, in overlapping pieces, so that its length costs no memory.
 * A pattern whose matches may be longer than the overlap, or that looks around, is searched for in
 * the whole line, once it is there.
 */
export class LongLine {
  readonly #pattern: CompiledPattern | undefined;
  readonly #windowChars: number;
  #held = "";
  /** Characters that came before `#held`. */
  #passed = 0;
  /** How much of `#held` no match can begin in any more. */
  #searched = 0;
  #head = "";
  #match: LongLineMatch | undefined;

  /** Without a pattern the line is only measured. */
  constructor(pattern: CompiledPattern | undefined, windowChars: number) {
    this.#pattern = pattern;
    this.#windowChars = windowChars;
  }

  /** The line's start, a little more than a window of it. */
  get head(): string {
    return this.#head;
  }

  get lineChars(): number {
    return this.#passed + this.#held.length;
  }

  get match(): LongLineMatch | undefined {
    return this.#match;
  }

  /** Takes the next piece of the line, which ends with a whole character. */
  push(piece: string): void {
    this.#head += piece.slice(0, Math.max(0, this.#windowChars + 1 - this.#head.length));
    if (this.#match !== undefined || this.#pattern === undefined) {
      this.#measure(piece);
      return;
    }
    this.#held += piece;
    if (this.#pattern.longestMatch > OVERLAP_CHARS) {
      if (this.#held.length > WHOLE_LINE_CHARS) throw new PatternError(TOO_LONG);
      return;
    }
    const limit = this.#held.length - OVERLAP_CHARS;
    // What overlaps is searched again, so that small pieces wait until there is as much that is new.
    if (limit - this.#searched < OVERLAP_CHARS) return;
    // A match that begins before the limit ends before the last character: it is the line's own.
    const found = this.#find(this.#held);
    if (found !== undefined && found.index < limit) this.#take(found);
    this.#searched = limit;
    this.#forget();
  }

  /** Ends the line, at a line feed if it is `broken` by one. */
  finish(broken: boolean): void {
    if (broken && this.#held.endsWith("\r")) {
      if (this.lineChars <= this.#head.length) this.#head = this.#head.slice(0, -1);
      this.#held = this.#held.slice(0, -1);
    }
    const found = this.#find(this.#held);
    if (found !== undefined) this.#take(found);
  }

  /** Keeps no more than the last character, which may belong to the line break. */
  #measure(piece: string): void {
    if (piece === "") return;
    this.#passed += this.#held.length + piece.length - 1;
    this.#held = piece.slice(-1);
  }

  #find(text: string): Span | undefined {
    if (this.#match !== undefined) return undefined;
    // From a place after the start on, `^` matches nowhere: the text before it is still there.
    return this.#pattern?.find(text, this.#searched);
  }

  #take(found: Span): void {
    const window = windowAround(this.#held, found, this.#windowChars);
    this.#match = {
      index: this.#passed + found.index,
      window: { text: window.text, start: this.#passed + window.start },
    };
  }

  #forget(): void {
    const surplus = this.#searched - OVERLAP_CHARS;
    if (surplus <= 0) return;
    this.#held = this.#held.slice(surplus);
    this.#passed += surplus;
    this.#searched -= surplus;
  }
}
