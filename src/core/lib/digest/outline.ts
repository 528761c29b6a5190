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
/** An outline that is not complete anyway leaves some room for what else there is to say. */
const PART_SHARE = 0.95;
/** With less room than this, no further line is quoted. */
const MIN_LEFT = 40;
/** The multiples of it, without their whole parts, are spread evenly, however many of them there are. */
const GOLDEN_RATIO = 0.618_033_988_75;

/** A digest in the making: what is said first, lines in the order of the text, and an outline, as long as there is room. */
export class Page {
  readonly #shown: { readonly at: number; readonly text: string }[] = [];
  /** The lines that are quoted, and what they say. */
  readonly #known = new Set<number | string>();

  constructor(
    readonly lines: Lines,
    /** The names in what the text was asked for. */
    readonly words: readonly string[],
    public room: number,
  ) {
    for (const note of lines.notes) this.say(note);
  }

  /** Says something before all lines that stand further down than `at`; what there is no room for is cut. */
  say(text: string, at = -1): void {
    const shown = clip(text, this.room);
    if (shown === "") return;
    this.#shown.push({ at, text: shown });
    this.room -= shown.length + 1;
  }

  /**
   * Quotes a line, unless that was said, or there is no room for it.
   *
   * @param isNamed - Whether lines that differ in a number alone say different things.
   */
  quote(index: number, most: number, position?: number, isNamed = false): boolean {
    if (index < 0 || index >= this.lines.size || this.room < MIN_LEFT) return false;
    if (this.#known.has(index)) return false;
    const shown = this.lines.quote(index, most, position);
    const text = shown.slice(shown.indexOf(":") + 1);
    const form = isNamed ? text : text.replace(/\d+/g, "0");
    if (text.trim().length < 2 || this.#known.has(form) || shown.length > this.room) return false;
    this.#known.add(index).add(form);
    this.say(shown, index);
    return true;
  }

  /**
   * An outline that is complete or counted: everything in full; shorter; names alone; those that name
   * what was asked for, the outer ones and evenly spread ones, with how many there are.
   */
  outline(entries: readonly Entry[], what: string, room = this.room, at = Infinity): void {
    this.say(this.#outlineOf(entries, what, room), at);
  }

  get text(): string {
    const inOrder = [...this.#shown].sort((one, other) => one.at - other.at);
    return inOrder.map(({ text }) => text).join("\n");
  }

  #outlineOf(entries: readonly Entry[], what: string, room: number): string {
    const count = formatCount(entries.length);
    const head = `${count} ${entries.length === 1 ? what.replace(/s\b/, "") : what}:`;
    // Of too many, not even their numbers fit.
    for (const width of entries.length * MIN_ROW < room ? [LONG, SHORT] : []) {
      const rows = entries.map((one) => numbered(one, ": ") + clip(one.text, width));
      const shown = [head, ...rows].join("\n");
      if (shown.length <= room) return shown;
    }
    const names = entries.map((one) => numbered(one, " ") + clip(one.name ?? one.text, NAME));
    const all = `${head} ${names.join(", ")}`;
    if (all.length <= room) return all;
    const isAsked = ({ text }: Entry): boolean => this.words.some((word) => text.includes(word));
    const ranks = entries.map((one, place) => {
      return (isAsked(one) ? 0 : (one.level ?? 1)) + ((place * GOLDEN_RATIO) % 1);
    });
    let left = room * PART_SHARE - `${count} of ${head} `.length;
    const chosen = [...names.keys()]
      .sort((one, other) => (ranks[one] ?? 0) - (ranks[other] ?? 0))
      .filter((place) => (left -= (names[place] ?? "").length + 2) >= -2)
      .sort((one, other) => one - other)
      .map((place) => names[place]);
    const some = `${formatCount(chosen.length)} of ${head} ${chosen.join(", ")}`;
    return chosen.length > 0 ? some : clip(head, room);
  }
}

function numbered({ number }: Entry, mark: string): string {
  return number === undefined ? "" : `${number}${mark}`;
}
