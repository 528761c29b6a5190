import { takeEnd, takeStart } from "../text/code-units.js";
import { clip, clipMiddle, formatCount, toPrintable, withoutColors } from "../text/printable.js";
import { findStarts, type SampledText } from "./sampled-text.js";

/** So much of a line is looked at. */
const LOOKED_CHARS = 1_000;
/** So many lines are walked through; of a longer text, it is said. */
const MAX_WALKED = 8_000;
/** How much of a long line is quoted before and after what was found in it. */
const WINDOW = { before: 80, after: 160 };
const MAX_PARTS = 4;

/** The time that a line of a log begins with, and what `gh run view --log` puts before it. */
export const STAMP =
  /^(?:[^\t\n]{1,80}\t[^\t\n]{1,80}\t(?=\uFEFF?\d{4}-))??\uFEFF?\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)\]?(?:[ \t]|$)/;
const TIME = /(?:\d{4}[-/]\d\d[-/]\d\d[T ]|[A-Z][a-z]{2} [ \d]\d )?\d\d:\d\d:\d\d/;
/** The number that `cat -n`, `nl` and editor tools put before a line; a number alone is one only with a mark. */
const NUMBER = /^ {0,8}\d{1,7}(?:→|\t|: ?|\| ?| +|$)/;
const NUMBERED = /^ {0,8}\d{1,7}(?:[→\t]|[:| ]\s{0,80}\S)/;

/** What a harness puts behind an output; before it, some lines of which the last is one of these. */
const REMINDER = "<system-reminder>";
const REMINDER_END = "</system-reminder>";
const HEADER_END = /^(?:output|observation|stdout|result):[ \t\r]*$/im;
const HEADER_CHARS = 2_048;
const HEADER_LINES = 10;
const STATUS =
  /(?<=^|^--- |, )(?:Error: )?(?:Process )?exit(?:ed)?[ -](?:with )?(?:code|status)\b[^,\n]{0,60}?(?=,| ---$|$)/im;
/** What a wrapping has behind a text: its small fields in one line, or in lines of their own. */
const FIELDS = /^--- .{1,400} ---$/;
const FIELDS_BEGIN = "--- fields ---";
const MAX_FIELDS = 12;
const FIELDS_CHARS = 300;

/**
 * The lines of a text, each as a reader sees it: without colors, without what a carriage return has
 * overwritten, without a time or a number that every line begins with. What is left out is said in `notes`.
 */
export class Lines {
  readonly text: string;
  /** How many there are to look at, and to walk through. */
  readonly size: number;
  readonly walked: number;
  /** Whether these are all lines of the content. */
  readonly whole: boolean;
  readonly notes: string[] = [];
  readonly isNumbered: boolean;
  readonly isStamped: boolean;
  readonly #sampled: SampledText;
  readonly #first: number = 0;
  readonly #hasMarks: boolean;
  readonly #shown = new Map<number, string>();
  #joined: SampledText | undefined;

  constructor(sampled: SampledText) {
    const { text, starts, gap, skipped } = sampled;
    this.text = text;
    this.#sampled = sampled;
    this.whole = skipped === 0;
    this.#hasMarks = text.includes("\u001b") || text.includes("\r") || text.includes("^[[");
    const isReminded = text.trimEnd().endsWith(REMINDER_END);
    const end = (isReminded && this.at(text.lastIndexOf(REMINDER))) || starts.length;
    const bodyEnd = this.#noteFields(end);
    const header = HEADER_END.exec(text.slice(0, Math.min(this.start(HEADER_LINES), HEADER_CHARS)));
    const isStatus = header === null && STATUS.exec(this.raw(0))?.index === 0;
    const headerLines = header === null ? Number(isStatus) : this.at(header.index) + 1;
    if (headerLines < bodyEnd || isStatus) {
      for (let index = 0; index < headerLines; index += 1) this.#noteStatus(index);
      this.#first = headerLines;
    }
    this.size = Math.max(0, bodyEnd - this.#first);
    this.walked = Math.min(this.size, MAX_WALKED);
    const probed = this.probes(10, 2).filter((index) => this.raw(index).length > 1);
    const share = (holds: (index: number) => boolean): number =>
      probed.length < 3 ? 0 : probed.filter(holds).length / probed.length;
    this.isNumbered = share((index) => this.#isNext(index)) >= 0.6;
    this.isStamped = !this.isNumbered && share((index) => STAMP.test(this.raw(index))) >= 0.4;
    if (this.isStamped) this.#noteTimes();
    if (this.isNumbered) this.#noteNumbers();
    if (!this.whole) this.notes.push(`Not looked at: lines ${gap + 1}–${gap + skipped}.`);
  }

  /** Says of a list that it is only of the lines that were walked through. */
  get part(): string {
    if (this.whole && this.walked === this.size) return "";
    return ` in the first ${formatCount(this.walked)} lines`;
  }

  number(index: number): number {
    const at = index + this.#first;
    return at + 1 + (at >= this.#sampled.gap ? this.#sampled.skipped : 0);
  }

  start(index: number): number {
    return this.#sampled.starts[index + this.#first] ?? this.text.length;
  }

  /** The index of the line that a position is on. */
  at(position: number): number {
    const { starts } = this.#sampled;
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return low - this.#first;
  }

  /** The line as it stands in the text, at most `LOOKED_CHARS` of it. */
  raw(index: number): string {
    const start = this.start(index);
    return this.text.slice(start, Math.min(this.#end(index), start + LOOKED_CHARS));
  }

  /** The line as a reader sees it. */
  line(index: number): string {
    let line = this.#shown.get(index);
    if (line !== undefined) return line;
    line = this.raw(index);
    if (this.#hasMarks) {
      line = withoutColors(line).trimEnd();
      line = line.slice(line.lastIndexOf("\r") + 1);
    }
    if (this.isStamped) line = line.replace(STAMP, "");
    else if (this.isNumbered) line = line.replace(NUMBER, "");
    line = line.trimEnd();
    this.#shown.set(index, line);
    return line;
  }

  /**
   * The lines in which an expression with the flags `gm` finds something, by one search through all of them;
   * with `my` and the characters that such lines begin with, only those are looked at.
   */
  find(expression: RegExp, begins = "", walked = this.walked): number[] {
    const isPlain = !(this.#hasMarks || this.isNumbered || this.isStamped);
    const { text, starts } = isPlain ? this.#sampled : this.#join(walked);
    const first = isPlain ? this.#first : 0;
    const start = (index: number): number => starts[first + index] ?? Infinity;
    const found: number[] = [];
    for (let index = 0; index < walked; index += 1) {
      if (begins !== "" && !begins.includes(text.charAt(start(index)))) continue;
      expression.lastIndex = start(index);
      const match = expression.exec(text);
      if (match === null && !expression.sticky) break;
      while (match !== null && start(index + 1) <= match.index) index += 1;
      if (match !== null && index < walked) found.push(index);
    }
    return found;
  }

  /** The line under its number, or what is around a position on it, in at most so many characters; a cut shows as "…". */
  quote(index: number, most: number, position = 0): string {
    const number = this.number(index);
    const [start, end] = [this.start(index), this.#end(index)];
    if (position - start > most - 40 && end - start > most) {
      const from = Math.max(start, position - WINDOW.before);
      const to = Math.min(end, position + WINDOW.after);
      const window = takeEnd(takeStart(this.text.slice(from, to), to - from), to - from - 1);
      return `${number}: …${toPrintable(window).replace(/\n/g, " ")}${to < end ? "…" : ""}`;
    }
    const text = toPrintable(this.line(index));
    if (end - start <= LOOKED_CHARS) return `${number}: ${clip(text, most)}`;
    const last = toPrintable(takeEnd(this.text.slice(end - most, end), most));
    return `${number}: ${clipMiddle(takeStart(text, most) + last, most, end - start)}`;
  }

  /** Evenly spread lines, and those at the end. */
  probes(count: number, last: number): number[] {
    const spread = Math.max(0, this.size - last);
    const step = Math.max(1, spread / count);
    const indexes: number[] = [];
    for (let at = 0; at < spread; at += step) indexes.push(Math.floor(at));
    for (let at = spread; at < this.size; at += 1) indexes.push(at);
    return indexes;
  }

  #join(walked: number): SampledText {
    if (this.#joined?.lines === walked) return this.#joined;
    const text = Array.from({ length: walked }, (_, index) => this.line(index)).join("\n");
    return (this.#joined = { ...this.#sampled, text, starts: findStarts(text), lines: walked });
  }

  #noteStatus(index: number): boolean {
    const line = this.raw(index).trimEnd();
    const [found = ""] = STATUS.exec(line) ?? [];
    const [before, after] = [line.startsWith(found) ? "" : "…", line.endsWith(found) ? "" : "…"];
    if (found !== "")
      this.notes.push(`${this.number(index)}: ${before}${toPrintable(found)}${after}`);
    return found !== "";
  }

  /** Quotes the fields that a wrapping has at the end, and returns where they begin. */
  #noteFields(end: number): number {
    let last = end - 1;
    while (last > 0 && this.raw(last).trim() === "") last -= 1;
    const isStart = (index: number): boolean =>
      index === last ? FIELDS.test(this.raw(index)) : this.raw(index) === FIELDS_BEGIN;
    let first = last;
    while (first > 0 && first > last - MAX_FIELDS && !isStart(first)) first -= 1;
    if (first < 1 || !isStart(first)) return end;
    if (first === last && this.#noteStatus(last)) return first;
    for (let index = first, left = FIELDS_CHARS; index <= last && left > 0; index += 1) {
      const shown = this.quote(index, left);
      left -= shown.length;
      this.notes.push(shown);
    }
    return first;
  }

  #end(index: number): number {
    const { starts, gap } = this.#sampled;
    const next = index + this.#first + 1;
    const end = next === gap ? undefined : starts[next];
    if (end !== undefined) return end - 1;
    const feed = this.text.indexOf("\n", this.start(index));
    return feed === -1 ? this.text.length : feed;
  }

  /** The number that a listing gives to a line. */
  #ownNumber(index: number): number {
    const start = this.start(index);
    return Number.parseInt(this.text.slice(start, start + 16), 10);
  }

  #isNext(index: number): boolean {
    const number = this.#ownNumber(index);
    const isBeside = (by: number): boolean => this.#ownNumber(index + by) === number + by;
    return NUMBERED.test(this.raw(index)) && (isBeside(1) || isBeside(-1));
  }

  /** Where the lines of a listing are in their files: the numbers here are those that the tools count. */
  #noteNumbers(): void {
    const parts: { here: number; own: number; last: number }[] = [];
    for (let index = 0; index < this.walked; index += 1) {
      const [own, here, part] = [this.#ownNumber(index), this.number(index), parts.at(-1)];
      if (part && own - here === part.own - part.here) part.last = here;
      else if (!Number.isNaN(own)) parts.push({ here, own, last: here });
    }
    const some = parts.filter(({ here, last }) => last > here);
    if (some.every(({ here, own }) => here === own)) return;
    const shown = some.slice(0, MAX_PARTS).map(({ here, own, last }) => {
      return `${here}–${last} here are ${own}–${own + last - here} of its file`;
    });
    const more = some.length > MAX_PARTS ? ` (${MAX_PARTS} of ${some.length} parts)` : "";
    this.notes.push(`Lines ${shown.join("; ")}${more}.`);
  }

  #noteTimes(): void {
    const timeOf = (index: number): string =>
      TIME.exec(STAMP.exec(this.raw(index))?.[0] ?? "")?.[0] ?? "";
    let last = this.size - 1;
    while (last > 0 && timeOf(last) === "") last -= 1;
    const [from, to] = [timeOf(0) || timeOf(1), timeOf(last)];
    const [day = ""] = /^.{8,10}[T ]/.exec(from) ?? [];
    this.notes.push(`Times left out: ${from} to ${to.replace(day, "")}.`);
  }
}
