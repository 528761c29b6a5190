import { BACKSLASH, unescapeJson } from "./json-strings.js";
import { decodeWtf8, encodeWtf8 } from "../text/wtf8.js";

/** The text of a key from its raw bytes between the quotes. */
export function decodeKey(raw: Uint8Array): string {
  const text = decodeWtf8(raw);
  return raw.includes(BACKSLASH) ? unescapeJson(text) : text;
}

/** A test for one key, which decodes only keys that could be the same one written with escapes. */
export function createKeyTest(key: string): (raw: Uint8Array | undefined) => boolean {
  const wanted = encodeWtf8(key);
  return (raw) => {
    if (raw === undefined) return false;
    if (isEqual(raw, wanted)) return true;
    // The same key written with escapes is always longer.
    return raw.length > wanted.length && raw.includes(BACKSLASH) && decodeKey(raw) === key;
  };
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}

/** No pointer names a longer key, and a hostile key must not fill the memory. */
const MOST_KEY_BYTES = 1 << 20;

/** Collects the bytes of a key, without quotes, which may come in several chunks. */
export class JsonKeyBytes {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** A part that ends with its chunk. */
  add(chunk: Uint8Array, from: number, to: number): void {
    this.#length += to - from;
    if (this.#length > MOST_KEY_BYTES) this.#parts = [];
    // A copy, which Buffer.slice would not make: the source may reuse its chunk.
    else this.#parts.push(new Uint8Array(chunk.subarray(from, to)));
  }

  /** The whole key, including its last part; valid until the chunk is reused; undefined if it is too long. */
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
