/** No pointer names a longer key, and a hostile one must not fill the memory. */
const MOST_KEY_BYTES = 1 << 20;

/** Gathers the bytes of a key, quotes left out, which may come in several chunks. */
export class JsonKeyBytes {
  #parts: Uint8Array[] = [];
  #length = 0;

  begin(): void {
    this.#parts = [];
    this.#length = 0;
  }

  add(chunk: Uint8Array, from: number, to: number): void {
    this.#length += to - from;
    if (this.#length > MOST_KEY_BYTES) this.#parts = [];
    // A copy: the source may use its chunk again before the key is complete.
    else this.#parts.push(chunk.slice(from, to));
  }

  /** The key's bytes as they stand in the text; undefined for one beyond all measure. */
  take(): Uint8Array | undefined {
    if (this.#length > MOST_KEY_BYTES) return undefined;
    const [first] = this.#parts;
    if (first !== undefined && this.#parts.length === 1) return first;
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }
}
