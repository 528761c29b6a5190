import { clip, formatCount } from "./printable.js";

/** One of the things that content consists of. */
export interface Entry {
  /** The line where it is. */
  readonly number: number;
  readonly text: string;
  /** Its name alone. */
  readonly name?: string;
  /** 1 for what is outermost. */
  readonly level?: number;
  /** What the call asks for is never left out for want of room. */
  readonly isAsked?: boolean;
}

const LONG = 160;
const SHORT = 64;
const NAME = 44;

/** Lines, as many as fit; the rest is cut. */
export function joinLines(lines: readonly string[], room: number): string {
  return clip(lines.filter((line) => line !== "").join("\n"), room);
}

/**
 * An outline that is complete or counted: everything in full; shorter; names alone; the outer ones
 * alone; evenly spread ones, with how many there are.
 */
export function outline(entries: readonly Entry[], what: string, room: number): string {
  const count = formatCount(entries.length);
  const head = `${count} ${what}:`;
  for (const width of [LONG, SHORT]) {
    const rows = entries.map(({ number, text }) => `${number}: ${clip(text, width)}`);
    const shown = [head, ...rows].join("\n");
    if (shown.length <= room) return shown;
  }
  const named = (some: readonly Entry[]): string =>
    some.map(({ number, name, text }) => `${number} ${clip(name ?? text, NAME)}`).join(", ");
  const all = `${head} ${named(entries)}`;
  if (all.length <= room) return all;
  // The outer ones, and as many of the others as there is room for, evenly spread.
  const byLevel = (most: number): Entry[] =>
    entries.filter(({ level = 1, isAsked }) => level <= most || isAsked === true);
  const shownOf = (some: readonly Entry[]): string =>
    `${formatCount(some.length)} of ${count} ${what}: ${named(some)}`;
  const least = Math.min(...entries.map(({ level = 1 }) => level));
  let level = least + 3;
  while (level > least && shownOf(byLevel(level)).length > room) level -= 1;
  let outer = new Set(byLevel(level));
  if (shownOf([...outer]).length > room) outer = new Set(byLevel(least - 1));
  const rest = entries.filter((one) => !outer.has(one) && (one.level ?? 1) <= level + 1);
  for (let left = Math.min(rest.length, 200); left > 0; left = Math.floor(left * 0.85)) {
    const step = rest.length / left;
    const spread = new Set(rest.filter((_, index) => index % step < 1));
    const shown = shownOf(entries.filter((one) => outer.has(one) || spread.has(one)));
    if (shown.length <= room) return shown;
  }
  const shown = shownOf([...outer]);
  return outer.size > 0 && shown.length <= room ? shown : clip(head, room);
}
