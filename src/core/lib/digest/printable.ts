import type { Line } from "./line-scanner.js";
import { takeEnd, takeStart } from "../text/surrogates.js";

// Content comes from tools and may hold anything. Quotes from it must not move the cursor, change
// colours, reorder text or hide characters when a person or a model reads them.

/* eslint-disable no-control-regex -- control characters are what these expressions are about */
const SUSPECT =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]/;
// Each alternative begins with a fixed character and continues with disjoint classes, so that the
// time is linear in the input.
const ANSI =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\)?|\u001b[ -/]+[0-~]|\u001b[0-Z\\^-~]|\u009b[0-?]*[ -/]*[@-~]/g;
const INVISIBLE = /[\u00ad\u180e\u200b-\u200f\u2060-\u2065\ufeff]|\udb40[\udc00-\uddef]/g;
const CONTROL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g;
/* eslint-enable no-control-regex */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Colours and invisible characters removed, other control characters shown as `·`. */
export function toPrintable(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .replace(ANSI, "")
    .replace(INVISIBLE, "")
    .replace(CONTROL, "·")
    .replace(LONE_SURROGATE, "\ufffd");
}

/** The same on one line: whatever separates lines becomes a space. */
export function toPrintableLine(text: string): string {
  return toPrintable(text.replace(/[\r\n\t]+/g, " "));
}

/** `text` in at most `width` units, with an ellipsis if it was cut. */
export function clip(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < 1 ? "" : takeStart(text, width - 1) + "…";
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

/** From this width on, a cut line also shows its end. */
const BOTH_ENDS_WIDTH = 160;

/** `12: the line`, cut to about `width` characters with the length of the whole line. */
export function quoteLine(line: Line, width: number, from = 0): string {
  return `${line.number}: ${cutLine(line, width, from)}`;
}

/** The text of a line in at most `width` characters, safe to print. */
export function cutLine(line: Line, width: number, from = 0): string {
  const start = from > width / 2 && line.length > width ? from - Math.floor(width / 3) : 0;
  const lead = line.cutStart || start > 0 ? "…" : "";
  // Colours may fill a line, so more of it is taken than will be shown.
  const raw = line.text.slice(start, start + width * 4 + 200);
  const shown = lead + toPrintable(raw).trimEnd();
  const seenWhole = line.text.length <= start + raw.length && line.length <= line.text.length;
  if (seenWhole && shown.length <= width) return shown;
  const mark = `… (${line.atLeast ? "at least " : ""}${formatCount(line.length)} chars)`;
  const room = width - mark.length;
  if (room < 8) return clip(shown, width);
  if (width < BOTH_ENDS_WIDTH || line.atLeast || start > 0) return takeStart(shown, room) + mark;
  const source = line.ending === "" ? line.text : line.ending;
  const ending = takeEnd(toPrintable(source.slice(-600)).trim(), Math.floor(room / 3));
  return `${takeStart(shown, room - ending.length - 2)}${mark} …${ending}`;
}
