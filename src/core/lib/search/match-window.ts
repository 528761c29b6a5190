import type { Span } from "./compile-pattern.js";
import type { ContextLine } from "./search-query.js";

/** The part of a line that is shown, and at which index of the line it begins. */
export interface LineWindow {
  readonly text: string;
  readonly start: number;
}

/** The whole line where it is short enough; otherwise a part of it in which the match can be seen. */
export function windowAround(line: string, match: Span, windowChars: number): LineWindow {
  if (line.length <= windowChars) return { text: line, start: 0 };
  const spare = Math.max(0, windowChars - (match.end - match.index));
  const wanted = match.index - Math.floor(spare / 2);
  let start = Math.max(0, Math.min(wanted, line.length - windowChars));
  if (start < match.index && splitsPair(line, start)) start += 1;
  return { text: cutAt(line, start, windowChars), start };
}

/** A line beside a match, cut to the window's length. */
export function contextLine(line: number, text: string, windowChars: number): ContextLine {
  return { line, text: cutAt(text, 0, windowChars), lineChars: text.length };
}

function cutAt(text: string, start: number, chars: number): string {
  const end = Math.min(start + chars, text.length);
  return text.slice(start, splitsPair(text, end) ? end - 1 : end);
}

/** True when the place lies between the two halves of one character. */
function splitsPair(text: string, place: number): boolean {
  return (
    place > 0 &&
    (text.charCodeAt(place) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(place - 1) & 0xfc00) === 0xd800
  );
}
