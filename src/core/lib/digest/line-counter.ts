/** Line numbers for ascending positions in a text. */
export class LineCounter {
  readonly #text: string;
  #line: number;
  #nextFeed: number;

  constructor(text: string, firstLine = 1) {
    this.#text = text;
    this.#line = firstLine;
    this.#nextFeed = text.indexOf("\n");
  }

  /** The number of the line that contains `position`. Positions must ascend. */
  lineAt(position: number): number {
    // The next feed is remembered: searching for it each time would be quadratic on a long line.
    while (this.#nextFeed !== -1 && this.#nextFeed < position) {
      this.#line += 1;
      this.#nextFeed = this.#text.indexOf("\n", this.#nextFeed + 1);
    }
    return this.#line;
  }
}
