/**
 * WTF-8: UTF-8 that can also represent a lone surrogate, as the three bytes that its code point would
 * take. Well-formed text is plain UTF-8, which every tool can read.
 */

const nativeIsWellFormed = (String.prototype as { isWellFormed?: () => boolean }).isWellFormed;

/** True if the text has no lone surrogate. Node 18 lacks the native test. */
export function isWellFormed(text: string): boolean {
  return nativeIsWellFormed ? nativeIsWellFormed.call(text) : !/\p{Surrogate}/u.test(text);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Encodes a text without losing any code unit. */
export function encodeWtf8(text: string): Uint8Array {
  if (isWellFormed(text)) return encodeUtf8(text);
  // No unit takes more than three bytes.
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  let from = 0;
  const lone = /\p{Surrogate}/gu;
  for (let match = lone.exec(text); match; match = lone.exec(text)) {
    if (match.index > from) {
      length += encoder.encodeInto(text.slice(from, match.index), bytes.subarray(length)).written;
    }
    const unit = text.charCodeAt(match.index);
    bytes[length++] = 0xed;
    bytes[length++] = 0x80 | ((unit >> 6) & 0x3f);
    bytes[length++] = 0x80 | (unit & 0x3f);
    from = match.index + 1;
  }
  length += encoder.encodeInto(text.slice(from), bytes.subarray(length)).written;
  return bytes.slice(0, length);
}

/** Most text is ASCII, one byte per unit: writing into so many takes half the time of `encode`. */
function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  const { read, written } = encoder.encodeInto(text, bytes);
  if (read === text.length) return bytes;
  const rest = encoder.encode(text.slice(read));
  const all = new Uint8Array(written + rest.length);
  all.set(bytes.subarray(0, written));
  all.set(rest, written);
  return all;
}

/** The text that `encodeWtf8` was given. */
export function decodeWtf8(bytes: Uint8Array): string {
  let text = "";
  let from = 0;
  for (let at = bytes.indexOf(0xed); at !== -1; at = bytes.indexOf(0xed, at + 1)) {
    const second = bytes[at + 1] ?? 0;
    const third = bytes[at + 2] ?? 0;
    // 0xED 0xA0..0xBF is a surrogate, which UTF-8 forbids; below 0xA0 it is an ordinary character.
    if (second < 0xa0 || second > 0xbf || third < 0x80 || third > 0xbf) continue;
    text += decodeUtf8(decoder, bytes.subarray(from, at));
    text += String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
    from = at + 3;
    at += 2;
  }
  return text + decodeUtf8(decoder, bytes.subarray(from));
}

/** Node decodes at most 512 MB in one call, even if the text is shorter than the longest string. */
const MAX_AT_ONCE = 2 ** 28;

/** @param partBytes - For tests: how much is decoded in one call. */
export function decodeUtf8(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Uint8Array,
  partBytes = MAX_AT_ONCE,
): string {
  if (bytes.length <= partBytes) return decoder.decode(bytes);
  let text = "";
  for (let at = 0; at < bytes.length; at += partBytes) {
    text += decoder.decode(bytes.subarray(at, at + partBytes), { stream: true });
  }
  return text + decoder.decode();
}

/**
 * Lone surrogates in WTF-8 are three bytes, 0xED and then 0xA0 to 0xAF for a high one or 0xB0 to
 * 0xBF for a low one, which UTF-8 does not allow.
 */

const SURROGATE_LEAD = 0xed;

export const SURROGATE_BYTES = 3;

/** True if `bytes` contain the first two bytes of a surrogate. */
export function holdsSurrogate(bytes: Uint8Array): boolean {
  const first = bytes.indexOf(SURROGATE_LEAD);
  if (first === -1) return false;
  // Korean text is full of this byte, so repeated calls of indexOf would be slow.
  const end = bytes.length - 1;
  for (let at = first; at < end; at++) {
    if (bytes[at] === SURROGATE_LEAD && ((bytes[at + 1] ?? 0) & 0xe0) === 0xa0) return true;
  }
  return false;
}

/** True if a surrogate is cut by the boundary between two chunks. */
export function isSurrogateAcross(last: number | undefined, next: number | undefined): boolean {
  return last === SURROGATE_LEAD && ((next ?? 0) & 0xe0) === 0xa0;
}

/**
 * True if two surrogates of three bytes each make a pair, as when a text was split between the
 * halves of a character, encoded in two parts and joined as bytes.
 */
export function isSurrogatePair(bytes: Uint8Array): boolean {
  const [lead1, high = 0, , lead2, low = 0] = bytes;
  return (
    lead1 === SURROGATE_LEAD &&
    lead2 === SURROGATE_LEAD &&
    (high & 0xf0) === 0xa0 &&
    (low & 0xf0) === 0xb0
  );
}
