/** Prices relative to a token that is sent without a cache. */
export interface CachePrices {
  readonly read: number;
  readonly write: number;
  /** After a pause of this length nothing is read from the cache. */
  readonly coldAfterMs?: number;
}

/** A part of a request; equal texts are equal parts. */
export interface RequestPart {
  readonly text: string;
  readonly tokens: number;
}

/**
 * What requests cost, one after another: what a request has in common with the start of the one before
 * is read from the prompt cache, the rest is written to it.
 */
export class PromptCache {
  readonly #prices: Required<CachePrices>;
  #before: readonly RequestPart[] = [];
  #lastAt: number | undefined;
  readonly spent = { requests: 0, tokens: 0, price: 0 };

  constructor(prices: CachePrices) {
    this.#prices = { coldAfterMs: Infinity, ...prices };
  }

  /** @param at - When it is sent, in milliseconds. */
  send(parts: readonly RequestPart[], at?: number): void {
    const { read, write, coldAfterMs } = this.#prices;
    const pause = at !== undefined && this.#lastAt !== undefined ? at - this.#lastAt : 0;
    this.#lastAt = at ?? this.#lastAt;
    let isCommon = pause <= coldAfterMs;
    this.spent.requests++;
    for (const [index, { text, tokens }] of parts.entries()) {
      isCommon &&= this.#before[index]?.text === text;
      this.spent.tokens += tokens;
      this.spent.price += tokens * (isCommon ? read : write);
    }
    this.#before = parts;
  }
}
