import { serializeContent } from "../engine/content.js";
import type { Hash } from "../engine/hash.js";
import type { PlacedResult } from "./survey-format.js";
import type { StoredResult } from "./stored-result.js";

/**
 * What left in earlier turns, so that a host that loads its history anew each time does not have
 * everything stored and digested again. A result is known again by its id, its size and its hash.
 */
export class DepartureMemory {
  readonly #departures = new Map<
    string,
    { readonly hash: string; readonly stored: StoredResult }
  >();
  readonly #hash: Hash;

  constructor(hash: Hash) {
    this.#hash = hash;
  }

  find(result: PlacedResult): StoredResult | undefined {
    const known = this.#departures.get(keyOf(result));
    // Hashing is what costs here, and it is left to those that look alike.
    return known && known.hash === this.#hashOf(result) ? known.stored : undefined;
  }

  keep(result: PlacedResult, stored: StoredResult): void {
    this.#departures.set(keyOf(result), { hash: this.#hashOf(result), stored });
  }

  #hashOf({ content, found: { wrapping } }: PlacedResult): string {
    const text = serializeContent(content);
    const form = [typeof content, wrapping, this.#hash(text)];
    return this.#hash(JSON.stringify(form));
  }
}

function keyOf({ id, chars }: PlacedResult): string {
  return JSON.stringify([id, chars]);
}
