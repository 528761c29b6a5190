import { isHighSurrogate, isLowSurrogate, takeEnd } from "../text/code-units.js";
import { clip, clipMiddle, toPrintable, withoutColors } from "./printable.js";
import type { SampledText } from "./sampled-text.js";

/** So much of a line is looked at. */
const LOOKED_CHARS = 1_000;
const PROBES = 10;
/** How much of a long line is quoted before and after what was found in it. */
const WINDOW_BEFORE = 80;
const WINDOW_AFTER = 160;

/** The time that a line of a log begins with. */
const STAMP =
  /^\uFEFF?\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)\]?(?:[ \t]|$)/;
/** What `gh run view --log` puts before it. */
const JOB = /^[^\t\n]{1,80}\t[^\t\n]{1,80}\t(?=\uFEFF?\d{4}-)/;
/** The number that `cat -n`, `nl` and editor tools put before a line. */
const NUMBERED = /^ {0,8}(\d{1,7})(?:→|\t|: ?|\| ?| +|$)/;

const REMINDER = "<system-reminder>";
const REMINDER_END = "</system-reminder>";
const MAX_REMINDERS = 16;
const HEADER_LINES = 10;
/** Ends the lines that some harnesses put before the output of a run. */
const HEADER_END = /^(?:output|observation|stdout|result):$/i;

const STATUS = /^(?:Process )?exit(?:ed)?[ -](?:with )?(?:code|status)\b/i;

/** A line as it is quoted. */
export interface Quote {
  readonly number: number;
  readonly text: string;
}

/**
 * The lines of a text, each as a reader sees it: without colors, without what a carriage return has
 * overwritten, without a time or a number that every line begins with. What is left out is said in `notes`.
 */
export class Lines {
  readonly text: string;
  /** How many there are to look at. */
  readonly size: number;
  /** Whether these are all lines of the content. */
  readonly whole: boolean;
  readonly notes: string[] = [];
  readonly isNumbered: boolean;
  readonly isStamped: boolean;
  readonly #starts: readonly number[];
  readonly #numbers: readonly number[] | undefined;
  readonly #gap: number;
  readonly #skipped: number;
  readonly #first: number;

  constructor({ text, starts, gap, skipped }: SampledText) {
    this.text = text;
    this.whole = skipped === 0;
    this.#gap = gap;
    this.#skipped = skipped;
    const split = splitEscaped(text, starts);
    this.#starts = split?.starts ?? starts;
    this.#numbers = split?.numbers;
    const end = this.#cutReminders();
    this.#first = this.#headerLines();
    this.size = Math.max(0, end - this.#first);
    this.isNumbered = this.#share((line, index) => this.#isNext(line, index)) >= 0.6;
    this.isStamped = !this.isNumbered && this.#share((line) => STAMP.test(withoutJob(line))) >= 0.4;
    if (this.isStamped) this.#noteTimes();
    if (!this.whole) this.notes.push(`Not looked at: lines ${gap + 1}–${gap + skipped}.`);
  }

  number(index: number): number {
    const at = index + this.#first;
    return this.#numbers?.[at] ?? at + 1 + (at >= this.#gap ? this.#skipped : 0);
  }

  start(index: number): number {
    return this.#starts[index + this.#first] ?? this.text.length;
  }

  /** The index of the line that a position is on. */
  at(position: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return low - this.#first;
  }

  /** The line as it stands in the text, at most `LOOKED_CHARS` of it. */
  raw(index: number): string {
    const start = this.start(index);
    const end = Math.min(this.#end(index), start + LOOKED_CHARS);
    return this.text.slice(start, end);
  }

  /** The line as a reader sees it. */
  line(index: number): string {
    let line = this.raw(index);
    if (line.includes("\u001b") || line.includes("^[[")) line = withoutColors(line);
    if (line.includes("\r")) {
      line = line.trimEnd();
      line = line.slice(line.lastIndexOf("\r") + 1);
    }
    if (this.isStamped) line = this.#withoutTime(line);
    else if (this.isNumbered) line = line.replace(NUMBERED, "");
    return line.trimEnd();
  }

  /** The line, or what is around a position on it, in at most so many characters; a cut shows as "…". */
  quote(index: number, most: number, position?: number): Quote {
    const number = this.number(index);
    const start = this.start(index);
    const end = this.#end(index);
    if (position !== undefined && position - start > most - 40 && end - start > most) {
      let from = Math.max(start, position - WINDOW_BEFORE);
      let to = Math.min(end, position + WINDOW_AFTER);
      if (isLowSurrogate(this.text.charCodeAt(from))) from += 1;
      if (isHighSurrogate(this.text.charCodeAt(to - 1))) to -= 1;
      const shown = toPrintable(this.text.slice(from, to)).replace(/\n/g, " ");
      return { number, text: `…${shown}${to < end ? "…" : ""}` };
    }
    const before = this.#numbers !== undefined && this.#numbers[index + this.#first - 1] === number;
    const text = (before ? "…" : "") + toPrintable(this.line(index));
    const length = end - start;
    if (length <= LOOKED_CHARS) return { number, text: clip(text, most) };
    const last = toPrintable(takeEnd(this.text.slice(end - most, end), most));
    return { number, text: clipMiddle(text.slice(0, most) + last, most, length) };
  }

  /** The number that a listing gives to a line. */
  ownNumber(index: number): number | undefined {
    const [, digits] = NUMBERED.exec(this.raw(index)) ?? [];
    return digits === undefined ? undefined : Number(digits);
  }

  /** Evenly spread lines, and those at the end. */
  probes(count: number, last: number): number[] {
    const { size } = this;
    const indexes: number[] = [];
    const step = Math.max(1, (size - last) / count);
    for (let at = 0; at < size - last; at += step) indexes.push(Math.floor(at));
    for (let at = Math.max(0, size - last); at < size; at += 1) indexes.push(at);
    return indexes;
  }

  #end(index: number): number {
    const next = index + this.#first + 1;
    if (next === this.#gap) {
      const feed = this.text.indexOf("\n", this.start(index));
      return feed === -1 ? this.text.length : feed;
    }
    const end = this.#starts[next];
    if (end === undefined)
      return this.text.endsWith("\n") ? this.text.length - 1 : this.text.length;
    // Behind a line feed, or behind a literal "\n" in a string of JSON or code.
    return end - (this.#numbers !== undefined && this.text.charCodeAt(end - 1) !== 10 ? 2 : 1);
  }

  /** The share of evenly spread lines with something on them for which this holds. */
  #share(holds: (line: string, index: number) => boolean): number {
    let lines = 0;
    let found = 0;
    for (const index of this.probes(PROBES, 2)) {
      const line = this.raw(index);
      if (line.length < 2) continue;
      lines += 1;
      if (holds(line, index)) found += 1;
    }
    return lines < 3 ? 0 : found / lines;
  }

  #isNext(line: string, index: number): boolean {
    const [lead = "", digits] = NUMBERED.exec(line) ?? [];
    if (
      digits === undefined ||
      (line.trimEnd().length === lead.trimEnd().length && !/[→\t]/.test(lead))
    )
      return false;
    const number = Number(digits);
    return this.ownNumber(index + 1) === number + 1 || this.ownNumber(index - 1) === number - 1;
  }

  #noteTimes(): void {
    const timeOf = (index: number) =>
      /\d[^,.\]]*/.exec(STAMP.exec(withoutJob(this.raw(index)))?.[0] ?? "")?.[0].trim() ?? "";
    let last = this.size - 1;
    while (last > 0 && timeOf(last) === "") last -= 1;
    const [from, to] = [timeOf(0) || timeOf(1), timeOf(last)];
    const [day = ""] = /^.{8,10}[T ]/.exec(from) ?? [];
    this.notes.push(
      `Times left out: ${from} to ${to.startsWith(day) ? to.slice(day.length) : to}.`,
    );
  }

  #withoutTime(line: string): string {
    const rest = withoutJob(line);
    const code = rest.charCodeAt(0);
    // Most begin with a digit; a letter, a bracket or a mark of order may come first.
    return code === 32 || (code > 0x5b && code !== 0xfeff) ? rest : rest.replace(STAMP, "");
  }

  /** The index behind the last line that is not in a reminder of the harness at the end. */
  #cutReminders(): number {
    const end = this.#starts.length;
    const { text } = this;
    for (let cut = 0; cut < MAX_REMINDERS; cut += 1) {
      const at = text.slice(-8_192).lastIndexOf(REMINDER);
      if (at === -1) break;
      const from = Math.max(0, text.length - 8_192) + at;
      const close = text.indexOf(REMINDER_END, from);
      if (close !== -1 && text.slice(close + REMINDER_END.length).trim() !== "") break;
      const index = this.at(from);
      return index > 0 ? index : end;
    }
    return end;
  }

  #headerLines(): number {
    const status: string[] = [];
    for (let index = 0; index < HEADER_LINES && index + 1 < this.#starts.length; index += 1) {
      const start = this.#starts[index] ?? 0;
      const end = (this.#starts[index + 1] ?? 0) - 1;
      if (end - start > LOOKED_CHARS) return 0;
      const line = this.text.slice(start, end).trim();
      if (STATUS.test(line)) status.push(`${index + 1}: ${clip(toPrintable(line), 80)}`);
      if (!HEADER_END.test(line)) continue;
      this.notes.push(...status);
      return index + 1;
    }
    return 0;
  }
}

/** Whether a line begins with a time. */
export function isTimed(line: string): boolean {
  return STAMP.test(line);
}

function withoutJob(line: string): string {
  return line.includes("\t") ? line.replace(JOB, "") : line;
}

/** Where line breaks are mostly written as `\n`, as in a program's own form of a string, these count as ends. */
function splitEscaped(
  text: string,
  starts: readonly number[],
): { starts: number[]; numbers: number[] } | undefined {
  if (starts.length > 400 || text.length < 400) return undefined;
  const ends: number[] = [];
  for (let at = text.indexOf("\\n"); at !== -1; at = text.indexOf("\\n", at + 2)) {
    if (text.charCodeAt(at - 1) !== 92) ends.push(at + 2);
  }
  if (ends.length <= starts.length * 2 || ends.length < 8) return undefined;
  const merged: number[] = [];
  const numbers: number[] = [];
  let next = 0;
  for (const [index, start] of starts.entries()) {
    merged.push(start);
    numbers.push(index + 1);
    const stop = starts[index + 1] ?? text.length;
    for (; next < ends.length && (ends[next] ?? 0) < stop; next += 1) {
      merged.push(ends[next] ?? 0);
      numbers.push(index + 1);
    }
  }
  return { starts: merged, numbers };
}

/** A line of a reference. */
export function renderQuote({ number, text }: Quote): string {
  return `${number}: ${text}`;
}
