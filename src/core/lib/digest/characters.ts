// Classes of characters, as bits: what a word consists of can be told from those that it has.

export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
export const JOINT = 8; // _ and -
export const DOT = 16;
export const SLASH = 32;
export const SIGN = 64; // @ ~ + $
export const PARTS = DOT | SLASH | SIGN;
/** From here on, what is not part of a word. */
export const FEED = 128;
export const SPACE = 129;
export const QUOTE = 130;
export const OTHER = 131;
/** A capital after a small letter. */
export const HUMP = 256;

/** One entry for every code unit, so that the scan needs no other test. */
export const CLASSES = new Uint8Array(65_536).fill(OTHER);
for (const [characters, kind] of [
  ["abcdefghijklmnopqrstuvwxyz", LOWER],
  ["ABCDEFGHIJKLMNOPQRSTUVWXYZ", UPPER],
  ["0123456789", DIGIT],
  ["_-", JOINT],
  [".", DOT],
  ["/", SLASH],
  ["@~+$", SIGN],
  ["\"'`", QUOTE],
  [" \t\r", SPACE],
  ["\n", FEED],
] as const) {
  for (const character of characters) CLASSES[character.charCodeAt(0)] = kind;
}
