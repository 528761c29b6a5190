import type { CompiledPattern, Span } from "./compile-pattern.js";
import { PatternError } from "./search-terms.js";
import type { LineWindows } from "./line-windows.js";

/** How much of a line is kept before and after the part that is searched. */
const OVERLAP_CHARS = 65_536;
/** The longest line that is held whole for a pattern that needs it. */
const WHOLE_LINE_CHARS = 67_108_864;

const TOO_LONG =
  `a line has more than ${WHOLE_LINE_CHARS} characters, and a pattern with unbounded repetition or ` +
  "lookaround needs the whole line; bound the repetitions, as in .{0,200}, and avoid lookaround";

/**
 * A line that is searched as it arrives, in overlapping pieces, so that its length costs no memory.
 * A pattern whose matches may be longer than the overlap, or that uses lookaround, is searched for in
 * the whole line once it is complete.
 */
export class LongLine {
  readonly #pattern: CompiledPattern | undefined;
  readonly #headChars: number;
  readonly #fromIndex: number;
  /** What is shown of the line's matches. */
  readonly windows: LineWindows;
  #held = "";
  /** Characters that came before `#held`. */
  #passed = 0;
  /** How much of `#held` was searched: no match begins there. */
  #searched = 0;
  #head = "";

  /** Without a pattern the line is only measured. */
  constructor(
    pattern: CompiledPattern | undefined,
    windows: LineWindows,
    { headChars, fromIndex = 0 }: { readonly headChars: number; readonly fromIndex?: number },
  ) {
    this.#pattern = pattern;
    this.windows = windows;
    this.#headChars = headChars;
    this.#fromIndex = fromIndex;
  }

  /** The start of the line, slightly longer than a window. */
  get head(): string {
    return this.#head;
  }

  get lineChars(): number {
    return this.#passed + this.#held.length;
  }

  /** Takes the next piece of the line, which ends with a whole character. */
  push(piece: string): void {
    this.#head += piece.slice(0, Math.max(0, this.#headChars + 1 - this.#head.length));
    if (this.windows.isDone || this.#pattern === undefined) {
      this.#measure(piece);
      return;
    }
    this.#held += piece;
    if (this.#pattern.longestMatch > OVERLAP_CHARS) {
      if (this.#held.length > WHOLE_LINE_CHARS) throw new PatternError(TOO_LONG);
      return;
    }
    const limit = this.#held.length - OVERLAP_CHARS;
    // The overlap is searched again, so small pieces wait until there is as much new text.
    if (limit - this.#searched < OVERLAP_CHARS) return;
    // A match that begins before the limit ends within the text, so more text cannot change it.
    this.#searchUpTo(limit);
    this.#searched = Math.max(this.#searched, limit);
    this.#forget();
  }

  /** Ends the line, at a line feed if it is `broken` by one. */
  finish(broken: boolean): void {
    if (broken && this.#held.endsWith("\r")) {
      if (this.lineChars <= this.#head.length) this.#head = this.#head.slice(0, -1);
      this.#held = this.#held.slice(0, -1);
    }
    this.#searchUpTo(this.#held.length + 1);
  }

  /** Keeps no more than the last character, which may belong to the line break. */
  #measure(piece: string): void {
    if (piece === "") return;
    this.#passed += this.#held.length + piece.length - 1;
    this.#held = piece.slice(-1);
  }

  /** Takes the matches that begin before `limit`. */
  #searchUpTo(limit: number): void {
    while (!this.windows.isDone) {
      const found = this.#find();
      if (found === undefined || found.index >= limit) return;
      this.#searched = this.windows.take(this.#held, found, this.#passed);
    }
  }

  #find(): Span | undefined {
    // After the start of the text `^` does not match, since the text before is still there.
    return this.#pattern?.find(
      this.#held,
      Math.max(this.#searched, this.#fromIndex - this.#passed),
    );
  }

  #forget(): void {
    const surplus = this.#searched - OVERLAP_CHARS;
    if (surplus <= 0) return;
    this.#held = this.#held.slice(surplus);
    this.#passed += surplus;
    this.#searched -= surplus;
  }
}
