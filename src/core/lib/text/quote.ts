/** The first half of a pair, as a UTF-16 unit. */
export function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

/** The second half of a pair, as a UTF-16 unit. */
export function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

/** At most `length` units from the start, never half of a pair. */
export function takeStart(text: string, length: number): string {
  if (length <= 0) return "";
  if (text.length <= length) return text;
  return text.slice(0, isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length);
}

/** At most `length` units from the end, never half of a pair. */
export function takeEnd(text: string, length: number): string {
  if (length <= 0) return "";
  if (text.length <= length) return text;
  const start = text.length - length;
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
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

/** The most that a message repeats of a value: ids, pointers and patterns can be megabytes long. */
const MAX_QUOTED_CHARS = 200;
const PATH_END_CHARS = 140;

/** A value in a message, as JSON. */
export function quote(value: string, mostChars = MAX_QUOTED_CHARS): string {
  return JSON.stringify(shorten(value, mostChars));
}

/** The first of many values, as JSON. */
export function quoteSome(values: readonly string[], most: number): string {
  const shown = values.slice(0, most).map((value) => quote(value));
  return (values.length > most ? [...shown, "…"] : shown).join(", ");
}

/** The start of a value that may be long. */
export function shorten(value: string, mostChars = MAX_QUOTED_CHARS): string {
  return value.length > mostChars ? `${takeStart(value, mostChars)}…` : value;
}

/** A path without its middle if it is long: its end tells more than its start. */
export function shortenPath(path: string): string {
  if (path.length <= MAX_QUOTED_CHARS) return path;
  const start = takeStart(path, MAX_QUOTED_CHARS - PATH_END_CHARS - 1);
  return `${start}…${takeEnd(path, PATH_END_CHARS)}`;
}
