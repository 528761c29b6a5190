/** Line numbers for places in a text that are asked for from its start to its end. */
export class LineCounter {
  readonly #text: string;
  #line: number;
  #nextFeed: number;

  constructor(text: string, firstLine = 1) {
    this.#text = text;
    this.#line = firstLine;
    this.#nextFeed = text.indexOf("\n");
  }

  /** The line on which `position` lies. Positions never go back. */
  lineAt(position: number): number {
    // The next feed is kept: searching it anew for every place would be quadratic on a long line.
    while (this.#nextFeed !== -1 && this.#nextFeed < position) {
      this.#line += 1;
      this.#nextFeed = this.#text.indexOf("\n", this.#nextFeed + 1);
    }
    return this.#line;
  }
}
