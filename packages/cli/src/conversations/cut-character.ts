/**
 * A log may end within a character: its last one to three bytes are not text. Each becomes a code unit that no decoded
 * text has, half of a surrogate pair, and the byte again when it is written.
 */
const CUT = /[\udc80-\udcff]{1,3}$/u;
const OFFSET = 0xdc00;

/** The bytes of a character that is cut off at the end, given at least the last three. */
export function cutCharacter(lastBytes: Uint8Array): string {
  const start = lastBytes.findLastIndex((byte) => byte >= 0xc0);
  return String.fromCharCode(...Array.from(lastBytes.subarray(start), (byte) => OFFSET + byte));
}

/** What to write for a text, as its bytes if it ends with such a character. */
export function encodeText(text: string): string | Uint8Array {
  const at = text.search(CUT);
  if (at === -1) return text;
  const cut = Array.from(text.slice(at), (char) => char.charCodeAt(0) - OFFSET);
  return Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from(cut)]);
}
