/** What a UTF-16 unit is; for ASCII, that is also what a byte of UTF-8 is. */

/** Ends a line. */
export const LINE_FEED = 0x0a;
export const SPACE = 0x20;

export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

export function isHexDigit(unit: number): boolean {
  const lower = unit | 0x20;
  return isDigit(unit) || (lower >= 0x61 && lower <= 0x66);
}

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
