import { takeEnd, takeStart } from "./code-units.js";

// Content comes from tools and may hold anything. Quotes from it must not move the cursor, change
// colors, reorder text or hide characters when a person or a model reads them.

// Line feeds and tabs are kept. U+2800 is a blank that counts as a symbol.
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Nearly every text; much faster to test than what may be hidden. */
const PLAIN = /^[\t\n -~]*$/;
const HIDDEN_CHARACTERS = new RegExp(HIDDEN.source, "gu");
/** Of these, a reader should know that something was there: controls, and what reorders text. */
const MARKED = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const LONE_SURROGATE = /\p{Cs}/u;
// Each alternative begins with a fixed character and continues with disjoint classes, so that the
// time is linear in the input.
const COLORS =
  // eslint-disable-next-line no-control-regex -- the sequences begin with a control character
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|\u001b[ -/]+[0-~]|\u001b[0-Z\\^-~]|\u009b[0-?]*[ -/]*[@-~]|\^\[\[[0-9;]*m/g;

/** Every character that a reader cannot see: controls, invisible ones, fillers, lone surrogates. */
export function hiddenCharacters(): RegExp {
  return HIDDEN_CHARACTERS;
}

/** Colors and invisible characters removed, other control characters shown as `·`. */
export function toPrintable(text: string): string {
  if (PLAIN.test(text) || !HIDDEN.test(text)) return text;
  return withoutColors(text).replace(HIDDEN_CHARACTERS, (character) =>
    MARKED.test(character) ? "·" : LONE_SURROGATE.test(character) ? "\ufffd" : "",
  );
}

/** The text without the sequences that set colors and move the cursor. */
export function withoutColors(text: string): string {
  return text.replace(COLORS, "");
}

/** Printable and on one line: whatever separates lines becomes a space. */
export function toPrintableLine(text: string): string {
  return toPrintable(text.replace(/[\r\n\t]+/g, " "));
}

/** `text` in at most `width` units, with an ellipsis if it was cut. */
export function clip(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < 1 ? "" : takeStart(text, width - 1) + "…";
}

/** The start and the end of `text`, and how long it is. */
export function clipMiddle(text: string, width: number, length = text.length): string {
  if (text.length <= width && length <= text.length) return text;
  const mark = `… (${formatCount(length)} chars) …`;
  const room = width - mark.length;
  if (room < 24) return clip(text, width);
  const end = Math.floor(room / 3);
  return takeStart(text, room - end) + mark + takeEnd(text, end);
}

/** 1234567 → "1,234,567", the same in every locale. */
export function formatCount(count: number): string {
  const digits = String(Math.trunc(count));
  let out = "";
  for (let end = digits.length; end > 0; end -= 3) {
    const group = digits.slice(Math.max(0, end - 3), end);
    out = out === "" ? group : `${group},${out}`;
  }
  return out;
}

/** "1 line", "1,234 lines". */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}
