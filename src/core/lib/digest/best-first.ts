/**
 * Gives items one by one, always the one with the highest score at that moment. Scores may fall while
 * items are taken, but never rise; so only the item at the top has to be judged again.
 */
export class BestFirst<Item> {
  readonly #items: Item[];
  readonly #scores: number[];
  readonly #scoreOf: (item: Item) => number;
  #count: number;

  constructor(items: readonly Item[], scoreOf: (item: Item) => number) {
    this.#items = items.slice();
    this.#scoreOf = scoreOf;
    this.#count = items.length;
    this.#scores = items.map(scoreOf);
    for (let at = (this.#count >> 1) - 1; at >= 0; at -= 1) this.#sink(at);
  }

  /** The best of the rest; undefined when there is none with a score above 0. */
  next(): Item | undefined {
    while (this.#count > 0) {
      const item = this.#itemAt(0);
      const score = this.#scoreOf(item);
      const isBest = score >= (this.#scores[0] ?? 0);
      this.#scores[0] = score;
      if (score <= 0 && isBest) return undefined;
      if (isBest) this.#removeTop();
      else {
        this.#sink(0);
        continue;
      }
      return item;
    }
    return undefined;
  }

  #itemAt(at: number): Item {
    return this.#items[at] as Item;
  }

  #removeTop(): void {
    this.#count -= 1;
    this.#items[0] = this.#itemAt(this.#count);
    this.#scores[0] = this.#scores[this.#count] ?? 0;
    if (this.#count > 1) this.#sink(0);
  }

  /** Moves an item down until nothing below it has a higher score. */
  #sink(from: number): void {
    const [items, scores, count] = [this.#items, this.#scores, this.#count];
    const item = this.#itemAt(from);
    const score = scores[from] ?? 0;
    let at = from;
    for (let child = 2 * at + 1; child < count; child = 2 * at + 1) {
      if (child + 1 < count && (scores[child + 1] ?? 0) > (scores[child] ?? 0)) child += 1;
      if ((scores[child] ?? 0) <= score) break;
      items[at] = this.#itemAt(child);
      scores[at] = scores[child] ?? 0;
      at = child;
    }
    items[at] = item;
    scores[at] = score;
  }
}
