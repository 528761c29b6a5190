import type { Span } from "./compile-pattern.js";
import { windowAround } from "./match-collector.js";
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

  get first(): MatchWindow | undefined {
    return this.#shown[0];
  }

  get further(): readonly MatchWindow[] {
    return this.#shown.slice(1);
  }

  /** How many matches come after the last window; not all are counted if there are many. */
  get unshown(): number {
    return this.#unshown;
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
}
