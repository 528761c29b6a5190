import type { CompiledPattern, Span } from "./compile-pattern.js";
import { type FoundLine, windowAround } from "./match-collector.js";
import type { MatchWindow } from "./search-terms.js";

/** How many matches of one line are counted beyond those that are shown. */
const MOST_COUNTED = 1_000;

/** The windows on one line, as its matches are found. A match inside of the last window needs no other. */
export class LineWindows {
  readonly #windowChars: number;
  readonly #most: number;
  readonly #shown: MatchWindow[] = [];
  #unshown = 0;
  /** The index in the line after the last window. */
  #end = 0;

  /** @param most - How many windows to make; further matches are only counted. */
  constructor(windowChars: number, most: number) {
    this.#windowChars = windowChars;
    this.#most = most;
  }

  get isDone(): boolean {
    return this.#unshown >= MOST_COUNTED;
  }

  /** Takes a match in `text`, the part of the line from index `at` on; returns the index in `text` to search from. */
  take(text: string, found: Span, at = 0): number {
    const next = Math.max(found.end, found.index + 1);
    if (this.#shown.length >= this.#most) {
      this.#unshown += 1;
      return next;
    }
    const window = windowAround(text, found, this.#windowChars, this.#end - at);
    this.#end = at + window.start + window.text.length;
    const column = at + found.index + 1;
    this.#shown.push({ column, text: window.text, textColumn: at + window.start + 1 });
    return Math.max(next, this.#end - at);
  }

  /** Takes the first match of a line, and the others if it is too long to be shown whole. */
  takeAll(line: string, first: Span, pattern: CompiledPattern): void {
    let match: Span | undefined = first;
    while (match !== undefined && !this.isDone) {
      const next = this.take(line, match);
      match = line.length > this.#windowChars ? pattern.find(line, next) : undefined;
    }
  }

  /** The line, if it matches. */
  toFound(line: number, lineChars: number): FoundLine | undefined {
    const [first, ...further] = this.#shown;
    return first && { line, first, further, unshown: this.#unshown, lineChars };
  }
}
