import type { Line } from "./line-scanner.js";
import { takeEnd, takeStart } from "../text/surrogates.js";
import { clip, formatCount, toPrintable } from "./printable.js";

/** From this width on a cut line shows its end as well. */
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
