import { takeEnd, takeStart } from "../text/code-units.js";
import { clip, clipMiddle, formatCount, toPrintable, withoutColors } from "../text/printable.js";
import type { SampledText } from "./sampled-text.js";

/** So much of a line is looked at. */
const LOOKED_CHARS = 1_000;
/** So many lines are walked through; of a longer text, it is said. */
const MAX_WALKED = 8_000;
/** How much of a long line is quoted before and after what was found in it. */
const WINDOW = { before: 80, after: 160 };

/** The time that a line of a log begins with. */
const STAMP =
  /^\uFEFF?\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)\]?(?:[ \t]|$)/;
/** What `gh run view --log` puts before it. */
const JOB = /^[^\t\n]{1,80}\t[^\t\n]{1,80}\t(?=\uFEFF?\d{4}-)/;
/** The number that `cat -n`, `nl` and editor tools put before a line. */
const NUMBERED = /^ {0,8}(\d{1,7})(?:→|\t|: ?|\| ?| +|$)/;

const MAX_PARTS = 4;

const MAX_ABOUT_CHARS = 4_096;
const MAX_WORDS = 16;
/** What may be the name of something. */
const WORD = /[A-Za-z_$][\w$-]{3,60}(?:[./:]+[\w$-]{1,60}){0,8}/g;
/** A name, rather than a word of a sentence or an option of a command. */
export const NAME = /[a-z][A-Z]|[_\d$]|[./:]\w|^[A-Z]{4,}$/;

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
  /** The names in what the text was asked for. */
  readonly words: readonly string[];
  readonly #starts: readonly number[];
  readonly #gap: number;
  readonly #skipped: number;
  readonly #first: number = 0;
  readonly #hasMarks: boolean;

  constructor({ text, starts, gap, skipped }: SampledText, about = "") {
    this.text = text;
    this.words = [...new Set(about.slice(0, MAX_ABOUT_CHARS).match(WORD))]
      .filter((word) => word.length >= 6 || NAME.test(word))
      .slice(0, MAX_WORDS);
    this.whole = skipped === 0;
    this.#starts = starts;
    this.#gap = gap;
    this.#skipped = skipped;
    this.#hasMarks = text.includes("\u001b") || text.includes("\r") || text.includes("^[[");
    const isReminded = text.trimEnd().endsWith(REMINDER_END);
    const reminder = isReminded ? this.at(text.lastIndexOf(REMINDER)) : 0;
    const end = this.#noteFields(reminder > 0 ? reminder : starts.length);
    const header = HEADER_END.exec(text.slice(0, HEADER_CHARS));
    const headerLines = header === null ? 0 : this.at(header.index) + 1;
    if (header !== null && headerLines <= HEADER_LINES && headerLines < end) {
      for (let index = 0; index < headerLines; index += 1) this.#noteStatus(index);
      this.#first = headerLines;
    } else if (STATUS.exec(this.raw(0))?.index === 0 && this.#noteStatus(0)) this.#first = 1;
    this.size = Math.max(0, end - this.#first);
    this.walked = Math.min(this.size, MAX_WALKED);
    this.isNumbered = this.#share((line, index) => this.#isNext(line, index)) >= 0.6;
    this.isStamped = !this.isNumbered && this.#share((line) => STAMP.test(withoutJob(line))) >= 0.4;
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
    return at + 1 + (at >= this.#gap ? this.#skipped : 0);
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
    return this.text.slice(start, Math.min(this.#end(index), start + LOOKED_CHARS));
  }

  /** The line as a reader sees it. */
  line(index: number): string {
    let line = this.raw(index);
    if (this.#hasMarks) {
      line = withoutColors(line).trimEnd();
      line = line.slice(line.lastIndexOf("\r") + 1);
    }
    if (this.isStamped) line = withoutJob(line).replace(STAMP, "");
    else if (this.isNumbered) line = line.replace(NUMBERED, "");
    return line.trimEnd();
  }

  /**
   * The lines in which an expression with the flags `gm` finds something. Where lines are shown as they
   * stand in the text, one search through all of it is much faster than one for each.
   */
  find(expression: RegExp, walked = this.walked): number[] {
    const found: number[] = [];
    expression.lastIndex = 0;
    if (this.#hasMarks || this.isNumbered || this.isStamped) {
      for (let index = 0; index < walked; index += 1) {
        expression.lastIndex = 0;
        if (expression.test(this.line(index))) found.push(index);
      }
      return found;
    }
    const offset = this.start(0);
    const text = this.text.slice(offset, this.start(walked));
    let index = 0;
    for (let match = expression.exec(text); match; match = expression.exec(text)) {
      while (this.start(index + 1) - offset <= match.index && index < walked) index += 1;
      found.push(index);
      expression.lastIndex = this.start(index + 1) - offset;
    }
    return found;
  }

  /** The line under its number, or what is around a position on it, in at most so many characters; a cut shows as "…". */
  quote(index: number, most: number, position = 0): string {
    const number = this.number(index);
    const start = this.start(index);
    const end = this.#end(index);
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

  #noteStatus(index: number): boolean {
    const line = this.raw(index).trimEnd();
    const status = STATUS.exec(line);
    if (status === null) return false;
    const [found] = status;
    const before = status.index > 0 ? "…" : "";
    const after = status.index + found.length < line.length ? "…" : "";
    this.notes.push(`${this.number(index)}: ${before}${toPrintable(found)}${after}`);
    return true;
  }

  /** Quotes the fields that a wrapping has at the end, and returns where they begin. */
  #noteFields(end: number): number {
    let first = end - 1;
    while (first > 0 && this.raw(first).trim() === "") first -= 1;
    if (first < 1) return end;
    const last = first;
    if (!FIELDS.test(this.raw(last))) {
      while (first > 0 && first > last - MAX_FIELDS && this.raw(first) !== FIELDS_BEGIN) first -= 1;
      if (this.raw(first) !== FIELDS_BEGIN) return end;
    } else if (this.#noteStatus(last)) return first;
    let left = FIELDS_CHARS;
    for (let index = first; index <= last && left > 0; index += 1) {
      const shown = this.quote(index, left);
      left -= shown.length;
      this.notes.push(shown);
    }
    return first;
  }

  #end(index: number): number {
    const next = index + this.#first + 1;
    const end = next === this.#gap ? undefined : this.#starts[next];
    if (end !== undefined) return end - 1;
    const feed = this.text.indexOf("\n", this.start(index));
    return feed === -1 ? this.text.length : feed;
  }

  /** The share of evenly spread lines with something on them for which this holds. */
  #share(holds: (line: string, index: number) => boolean): number {
    const lines = this.probes(10, 2).filter((index) => this.raw(index).length > 1);
    const found = lines.filter((index) => holds(this.raw(index), index)).length;
    return lines.length < 3 ? 0 : found / lines.length;
  }

  #isNext(line: string, index: number): boolean {
    const [lead = "", digits] = NUMBERED.exec(line) ?? [];
    const isAlone = line.trimEnd().length === lead.trimEnd().length && !/[→\t]/.test(lead);
    if (digits === undefined || isAlone) return false;
    const number = Number(digits);
    return this.#ownNumber(index + 1) === number + 1 || this.#ownNumber(index - 1) === number - 1;
  }

  /** The number that a listing gives to a line. */
  #ownNumber(index: number): number | undefined {
    const [, digits] = NUMBERED.exec(this.raw(index)) ?? [];
    return digits === undefined ? undefined : Number(digits);
  }

  /** Where the lines of a listing are in their files: the numbers here are those that the tools count. */
  #noteNumbers(): void {
    const parts: { here: number; own: number; last: number }[] = [];
    for (let index = 0; index < this.walked; index += 1) {
      const own = this.#ownNumber(index);
      const here = this.number(index);
      const part = parts.at(-1);
      if (own === undefined) continue;
      if (part && own === part.own + here - part.here) part.last = here;
      else parts.push({ here, own, last: here });
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
    const timeOf = (index: number) =>
      /\d[^,.\]]*/.exec(STAMP.exec(withoutJob(this.raw(index)))?.[0] ?? "")?.[0].trim() ?? "";
    let last = this.size - 1;
    while (last > 0 && timeOf(last) === "") last -= 1;
    const [from, to] = [timeOf(0) || timeOf(1), timeOf(last)];
    const [day = ""] = /^.{8,10}[T ]/.exec(from) ?? [];
    const end = to.startsWith(day) ? to.slice(day.length) : to;
    this.notes.push(`Times left out: ${from} to ${end}.`);
  }
}

/** Whether a line begins with a time. */
export function isTimed(line: string): boolean {
  return STAMP.test(line);
}

function withoutJob(line: string): string {
  return line.includes("\t") ? line.replace(JOB, "") : line;
}
