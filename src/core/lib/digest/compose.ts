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
    some.map(({ number, name, text }) => `${number} ${clip(name ?? text, SHORT)}`).join(", ");
  const all = `${head} ${named(entries)}`;
  if (all.length <= room) return all;
  const headOf = (shown: number): string => `${formatCount(shown)} of ${count} ${what}:`;
  for (let level = 3; level >= 1; level -= 1) {
    const outer = entries.filter((one) => (one.level ?? 1) <= level || one.isAsked);
    if (outer.length === 0 || outer.length === entries.length) continue;
    const shown = `${headOf(outer.length)} ${named(outer)}`;
    if (shown.length <= room) return shown;
  }
  const least = Math.min(...entries.map(({ level = 1 }) => level));
  const outer = entries.filter(({ level = 1 }) => level === least);
  const pool = outer.length < 6 ? entries : outer;
  for (let left = Math.min(pool.length, 200); left > 0; left = Math.floor(left * 0.85)) {
    const step = pool.length / left;
    const some = pool.filter((_, index) => Math.floor(index % step) === 0 || pool[index]?.isAsked);
    const shown = `${headOf(some.length)} ${named(some)}`;
    if (shown.length <= room) return shown;
  }
  return clip(head, room);
}
