import { decodeWtf8, encodeWtf8 } from "../text/wtf8.js";
import { BACKSLASH } from "./json-bytes.js";
import { unescapeJson } from "./json-unescape.js";

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
