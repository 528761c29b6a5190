import type { JsonChild, JsonChildren } from "./json-path-tracker.js";

export interface WindowOptions {
  /** How many children are passed over. */
  readonly offset: number;
  /** How many are kept; given whether they have keys, since an array's are fewer unless asked. */
  readonly limit: (hasKeys: boolean) => number;
}

/** Keeps the children of a window and counts them all. */
export class JsonChildWindow implements JsonChildren {
  readonly #options: WindowOptions;
  #kept: JsonChild[] = [];
  #count = 0;

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  get kept(): readonly JsonChild[] {
    return this.#kept;
  }

  get count(): number {
    return this.#count;
  }

  reset(): void {
    this.#kept = [];
    this.#count = 0;
  }

  add(child: JsonChild): void {
    this.#count += 1;
    const { offset, limit } = this.#options;
    // A key stands behind a quote, so none begins at byte 0.
    const isInside = this.#count > offset && this.#kept.length < limit(child.keyStart > 0);
    if (isInside) this.#kept.push(child);
  }
}
