import type { Lines } from "./lines.js";
import { clip, formatCount } from "../text/printable.js";

/** One of the things that content consists of. */
export interface Entry {
  /** The line where it is. */
  readonly number?: number;
  readonly text: string;
  /** Its name alone. */
  readonly name?: string | undefined;
  /** 1 for what is outermost. */
  readonly level?: number;
}

const LONG = 160;
const SHORT = 64;
const NAME = 44;
const MIN_ROW = 6;
/** With less room than this, no further line is quoted. */
const MIN_LEFT = 40;

/** Lines, as many as fit; the rest is cut. */
export function joinLines(lines: readonly string[], room: number): string {
  return clip(lines.filter((line) => line !== "").join("\n"), room);
}

/** What is said and quoted first, in a part of the room, and an outline in the rest of it. */
export function outlineWith(
  { notes, words }: Lines,
  quotes: readonly string[],
  entries: readonly Entry[],
  what: string,
  room: number,
): string {
  const head = joinLines([...notes, ...quotes], entries.length > 0 ? Math.floor(room / 3) : room);
  if (entries.length === 0) return head;
  return joinLines([head, outline(entries, what, room - head.length - 1, words)], room);
}

/**
 * An outline that is complete or counted: everything in full; shorter; names alone; those that name
 * what was asked for, the outer ones and evenly spread ones, with how many there are.
 */
function outline(
  entries: readonly Entry[],
  what: string,
  room: number,
  words: readonly string[],
): string {
  const count = formatCount(entries.length);
  const head = `${count} ${entries.length === 1 ? what.replace(/s\b/, "") : what}:`;
  // Of too many, not even their numbers fit.
  for (const width of entries.length * MIN_ROW < room ? [LONG, SHORT] : []) {
    const rows = entries.map((one) => at(one, ": ") + clip(one.text, width));
    const shown = [head, ...rows].join("\n");
    if (shown.length <= room) return shown;
  }
  const listed = (some: readonly Entry[]): string =>
    some.map((one) => at(one, " ") + clip(one.name ?? one.text, NAME)).join(", ");
  const all = `${head} ${listed(entries)}`;
  if (all.length <= room) return all;
  const named = entries.filter(({ text }) => words.some((word) => text.includes(word)));
  const byLevel = [...entries].sort(({ level: a = 1 }, { level: b = 1 }) => a - b);
  // About so many fit.
  const tried = Math.ceil((entries.length * room * 1.2) / all.length);
  for (let left = Math.min(entries.length, tried); left > 0; left = Math.floor(left * 0.9)) {
    // All of the outer ones, then of the next level those that are evenly spread.
    const { level: last = 1 } = byLevel[left - 1] ?? {};
    const outer = byLevel.filter(({ level = 1 }) => level < last);
    const inner = byLevel.filter(({ level = 1 }) => level === last);
    const step = inner.length / (left - outer.length);
    const spread = new Set([...outer, ...inner.filter((_, at) => at % step < 1)]);
    for (const one of named.slice(0, Math.floor(left / 3))) spread.add(one);
    const some = entries.filter((one) => spread.has(one));
    const shown = `${formatCount(some.length)} of ${count} ${what}: ${listed(some)}`;
    if (shown.length <= room) return shown;
  }
  return clip(head, room);
}

function at({ number }: Entry, mark: string): string {
  return number === undefined ? "" : `${number}${mark}`;
}

/** Lines to be quoted, each once, as long as there is room. */
export class Quotes {
  readonly #chosen = new Map<number, string>();
  readonly #forms = new Set<string>();
  #left: number;

  constructor(
    readonly lines: Lines,
    readonly room: number,
  ) {
    this.#left = room - lines.notes.join("\n").length - 1;
  }

  /** @param isNamed - Whether lines that differ in a number alone say different things. */
  add(index: number, most: number, position?: number, isNamed = false): boolean {
    const { lines } = this;
    if (index < 0 || index >= lines.size || this.#chosen.has(index)) return false;
    if (this.#left < MIN_LEFT) return false;
    const shown = lines.quote(index, most, position);
    const text = shown.slice(shown.indexOf(":") + 1);
    const form = isNamed ? text : text.replace(/\d+/g, "0");
    const isNew = text.trim().length >= 2 && !this.#forms.has(form);
    if (!isNew || shown.length + 1 > this.#left) return false;
    this.#forms.add(form);
    this.#left -= shown.length + 1;
    this.#chosen.set(index, shown);
    return true;
  }

  get text(): string {
    const shown = [...this.#chosen].sort(([one], [other]) => one - other).map(([, line]) => line);
    return joinLines([...this.lines.notes, ...shown], this.room);
  }
}
