import { takeEnd, takeStart } from "../text/surrogates.js";

// Content comes from tools and may hold anything. Quotes from it must not move the cursor, change
// colours, reorder text or hide characters when a person or a model reads them.

/* eslint-disable no-control-regex, no-misleading-character-class -- characters that must not be shown are what these expressions are about */
const SUSPECT =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]/;
// Each alternative begins with a fixed character and continues with disjoint classes, so that the
// time is linear in the input.
const COLOURS =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|\u001b[ -/]+[0-~]|\u001b[0-Z\\^-~]|\u009b[0-?]*[ -/]*[@-~]/g;
const INVISIBLE =
  /[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2065\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\u2800]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
const CONTROL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g;
/* eslint-enable no-control-regex, no-misleading-character-class */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Colours and invisible characters removed, other control characters shown as `·`. */
export function toPrintable(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .replace(COLOURS, "")
    .replace(INVISIBLE, "")
    .replace(CONTROL, "·")
    .replace(LONE_SURROGATE, "\ufffd");
}

/** The text without the sequences that set colours and move the cursor. */
export function withoutColours(text: string): string {
  return text.replace(COLOURS, "");
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
