import { encodeWtf8 } from "../core/lib/text/wtf8.js";

/**
 * A hash of 64 hexadecimal digits that is not cryptographic: good enough for tests, and without an
 * import from Node.
 */
export function checkHash(data: string | Uint8Array): string {
  const bytes = typeof data === "string" ? encodeWtf8(data) : data;
  let digits = "";
  for (let seed = 1; seed <= 8; seed++) {
    let hash = Math.imul(0x811c9dc5, seed);
    for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193 + 2 * seed);
    digits += (hash >>> 0).toString(16).padStart(8, "0");
  }
  return digits;
}
