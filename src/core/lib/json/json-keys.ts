import { BACKSLASH, unescapeJson } from "./json-strings.js";
import { decodeWtf8, encodeWtf8 } from "../text/wtf8.js";

/** The text of a key from its bytes as they stand between the quotes. */
export function decodeKey(raw: Uint8Array): string {
  const text = decodeWtf8(raw);
  return raw.includes(BACKSLASH) ? unescapeJson(text) : text;
}

/** A test for one key that decodes only those that could be it in another spelling. */
export function createKeyTest(key: string): (raw: Uint8Array | undefined) => boolean {
  const wanted = encodeWtf8(key);
  return (raw) => {
    if (raw === undefined) return false;
    if (isEqual(raw, wanted)) return true;
    // Another spelling of the same key is always longer, and has an escape in it.
    return raw.length > wanted.length && raw.includes(BACKSLASH) && decodeKey(raw) === key;
  };
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}

/** No pointer names a longer key, and a hostile one must not fill the memory. */
const MOST_KEY_BYTES = 1 << 20;

/** Gathers the bytes of a key, quotes left out, which may come in several chunks. */
export class JsonKeyBytes {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** A part that ends with its chunk. */
  add(chunk: Uint8Array, from: number, to: number): void {
    this.#length += to - from;
    if (this.#length > MOST_KEY_BYTES) this.#parts = [];
    // A copy, which a Buffer's own slice is not: the source may use its chunk again.
    else this.#parts.push(new Uint8Array(chunk.subarray(from, to)));
  }

  /** All of it with its last part, until the chunk is used again; undefined if it is too long. */
  take(chunk: Uint8Array, from: number, to: number): Uint8Array | undefined {
    if (this.#length === 0)
      return to - from > MOST_KEY_BYTES ? undefined : chunk.subarray(from, to);
    this.add(chunk, from, to);
    const bytes = this.#length > MOST_KEY_BYTES ? undefined : new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      bytes?.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    this.#length = 0;
    return bytes;
  }
}
