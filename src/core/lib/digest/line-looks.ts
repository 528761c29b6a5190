import { isDigit, isLetter } from "../text/code-units.js";
import type { Line } from "./scan-text.js";
import { DECLARING_WORDS } from "./word-lists.js";

/** Whether a line is more than a bracket or a rule. */
export function saysAnything(text: string, { start, end }: Line): boolean {
  for (let at = start; at < end; at += 1) {
    if (isWordCode(text.charCodeAt(at)) || text.charCodeAt(at) > 255) return true;
  }
  return false;
}

/** Whether a line without names has words in it. */
export function hasWords(text: string, { start, end }: Line): boolean {
  if (end - start < 8) return false;
  const most = Math.min(end, start + 60);
  let letters = 0;
  for (let at = start; at < most && letters < 4; at += 1) {
    letters = isLetter(text.charCodeAt(at)) || text.charCodeAt(at) > 255 ? letters + 1 : 0;
  }
  return letters === 4;
}

/** A heading is worth more the higher it is; 0 for any other line. */
export function headingBonus(text: string, start: number): number {
  let level = 0;
  while (level < 6 && text.charCodeAt(start + level) === 35) level += 1;
  if (level === 0 || text.charCodeAt(start + level) !== 32) return 0;
  return Math.max(0.8, 2 - 0.25 * level);
}

/** Whether a line of code declares what others may use. */
export function declares(text: string, { start, end, indent }: Line): boolean {
  if (indent > 4) return false;
  let at = start;
  while (at < end && isLetter(text.charCodeAt(at))) at += 1;
  return at > start + 1 && DECLARING_WORDS.has(text.slice(start, at));
}

export function isWordCode(code: number): boolean {
  return isLetter(code) || isDigit(code);
}
