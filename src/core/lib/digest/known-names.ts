import { sampleText } from "./sampled-text.js";
import { scanText } from "./scan-text.js";

/** So many names are remembered; those that come later count as new. */
const MAX_NAMES = 65_536;

/** The names of a growing list of texts, and which of the texts was the first to have each. */
export class KnownNames {
  readonly #first = new Map<number, number>();
  /** By position, the names that were new there. */
  readonly #added: (readonly number[])[] = [];

  /** How many positions there are. */
  get length(): number {
    return this.#added.length;
  }

  /** Adds a position with these texts. */
  add(texts: Iterable<string>): void {
    const added: number[] = [];
    for (const text of texts) {
      for (const { start, end } of scanText(sampleText(text), { isEscaped: true }).names) {
        const hash = hashOf(text, start, end);
        if (this.#first.size >= MAX_NAMES) break;
        if (this.#first.has(hash)) continue;
        this.#first.set(hash, this.length);
        added.push(hash);
      }
    }
    this.#added.push(added);
  }

  /** Forgets all positions from this one on. */
  cut(length: number): void {
    while (this.length > length) {
      for (const hash of this.#added.pop() ?? []) this.#first.delete(hash);
    }
  }

  /** Whether a text before this position has the name. */
  hasBefore(position: number, name: string): boolean {
    const first = this.#first.get(hashOf(name, 0, name.length));
    return first !== undefined && first < position;
  }
}

/** Of two names with the same hash one may come too late in a digest, no more. */
function hashOf(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
