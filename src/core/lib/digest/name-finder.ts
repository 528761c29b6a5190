import {
  CLASSES,
  DIGIT,
  DOT,
  HUMP,
  JOINT,
  LOWER,
  OTHER,
  PARTS,
  SLASH,
  UPPER,
} from "./characters.js";
import { isTrouble } from "./trouble.js";
import { FILE_ENDINGS } from "./word-lists.js";

/** What a later turn may ask for: a path, a file, a number, an id, a name in code, a quoted word. */
export interface Name {
  readonly start: number;
  readonly end: number;
  readonly hash: number;
  /** The first line that has it. */
  readonly line: Line;
  uses: number;
  /** What showing it is worth; 0 once it is shown. */
  worth: number;
  /** The call that gave the content names it, too. */
  asked: boolean;
}

/** A line, or a part of a long one, by its positions in the text. */
export interface Line {
  /** Where its text starts, after `indent` spaces or tabs. */
  readonly start: number;
  readonly indent: number;
  end: number;
  /** The number of the line in the content. */
  readonly number: number;
  /** It continues the line before. */
  readonly isPart: boolean;
  /** Only its beginning is shown. */
  isCut: boolean;
  /** Equal for lines that differ only in words with digits in them, and in spaces. */
  form: number;
  /** Words that announce a failure. */
  trouble: number;
  names: readonly Name[];
  /** What it takes to show it, in characters, and what it is worth besides its names. */
  cost: number;
  bonus: number;
  /** How many lines are like it, where it stands for them. */
  alike: number;
}

const MAX_NAME = 120;
const MAX_NAMES = 3_000;
const TABLE_SIZE = 8_192;
/** A name that collides more often is dropped, so that nobody can make lookups slow. */
const MAX_PROBES = 16;

// One table serves all scans: an entry counts only if it is above what the scans before have written.
const table = new Int32Array(TABLE_SIZE);
let generation = 0;

function nextGeneration(): number {
  generation += MAX_NAMES;
  if (generation > 2 ** 31 - 2 * MAX_NAMES) {
    table.fill(0);
    generation = MAX_NAMES;
  }
  return generation;
}

/** The names found so far, each once. */
export class NameFinder {
  readonly names: Name[] = [];
  readonly #text: string;
  readonly #generation: number;

  constructor(text: string) {
    this.#text = text;
    this.#generation = nextGeneration();
  }

  /** Adds what a run of word characters names: a path or a file as a whole, otherwise its parts. */
  addRun(begin: number, after: number, line: Line): void {
    const text = this.#text;
    let start = begin;
    let end = after;
    while (end > start && isEdge(text.charCodeAt(end - 1))) end -= 1;
    while (start < end && (text.charCodeAt(start) === DASH || text.charCodeAt(start) === PLUS)) {
      start += 1;
    }
    if (text.startsWith("...", start)) start += 3;
    if (start === end) return;
    let flags = 0;
    let hash = 0;
    let before = 0;
    let dot = start;
    for (let at = start; at < end; at += 1) {
      const code = text.charCodeAt(at);
      const kind = CLASSES[code] ?? 0;
      if (kind === DOT) dot = at;
      flags |= kind | (((before << 1) & kind & UPPER) << 7);
      hash = (Math.imul(hash, 31) + code) | 0;
      before = kind;
    }
    const isWhole =
      (flags & PARTS) === 0
        ? isName(flags, end - start, text.charCodeAt(start), text.charCodeAt(end - 1))
        : (flags & SLASH) !== 0
          ? isPath(text, begin, start, end)
          : dot > start && isFileEnding(text, dot + 1, end);
    if (isWhole) this.add(startOfUrl(text, start), end, hash, line);
    else if ((flags & PARTS) !== 0) this.#addParts(start, end, line);
    else if (isTrouble(text, start, end)) line.trouble += 1;
  }

  #addParts(start: number, end: number, line: Line): void {
    const text = this.#text;
    let from = start;
    let flags = 0;
    let hash = 0;
    let before = 0;
    let last = 0;
    for (let at = start; at <= end; at += 1) {
      const code = at === end ? 0 : text.charCodeAt(at);
      const kind = CLASSES[code] ?? 0;
      if (kind >= DOT) {
        if (isName(flags, at - from, text.charCodeAt(from), last)) this.add(from, at, hash, line);
        from = at + 1;
        flags = hash = 0;
      } else {
        last = code;
        flags |= kind | (((before << 1) & kind & UPPER) << 7);
        hash = (Math.imul(hash, 31) + code) | 0;
      }
      before = kind;
    }
  }

  add(start: number, end: number, hash: number, line: Line): void {
    const length = end - start;
    if (length > MAX_NAME) return;
    let slot = (hash ^ (hash >>> 15)) & (TABLE_SIZE - 1);
    for (let probes = 0; probes < MAX_PROBES; probes += 1) {
      const entry = (table[slot] ?? 0) - this.#generation;
      const name = entry > 0 ? this.names[entry - 1] : undefined;
      if (name === undefined) {
        if (this.names.length === MAX_NAMES) return;
        const added = { start, end, hash, line, uses: 1, worth: 1, asked: false };
        table[slot] = this.#generation + this.names.push(added);
        mention(line, added);
        return;
      }
      // Two names with the same hash and length count as one; neither is lost from the content.
      if (name.hash === hash && name.end - name.start === length) {
        name.uses += 1;
        mention(line, name);
        return;
      }
      slot = (slot + 1) & (TABLE_SIZE - 1);
    }
  }
}

export const NO_NAMES: readonly Name[] = [];

function mention(line: Line, name: Name): void {
  if (line.names === NO_NAMES) line.names = [name];
  else (line.names as Name[]).push(name);
}

const DASH = 45;
const PLUS = 43;
const COLON = 58;
const TILDE = 126;

function isEdge(code: number): boolean {
  return code === DASH || (code !== TILDE && ((CLASSES[code] ?? 0) & PARTS) !== 0);
}
/** Whether a word without dots and slashes is a name; `flags` say which characters it has. */
export function isName(flags: number, length: number, first: number, last: number): boolean {
  if (length < 4) return false;
  const letters = flags & (LOWER | UPPER);
  const isTime = first < 58 && (flags & LOWER) === 0;
  if ((flags & JOINT) !== 0) return letters !== 0 && length >= 5 && !isTime;
  if ((flags & DIGIT) !== 0) return letters === 0 || (length >= 6 && !(isTime && last === 90));
  return (flags & HUMP) !== 0;
}

/** Whether a name is nothing but digits. */
export function isNumber(text: string, { start, end }: Name): boolean {
  for (let at = start; at < end; at += 1) if (CLASSES[text.charCodeAt(at)] !== DIGIT) return false;
  return true;
}

/** Not the end of a tag, and not a fraction or a date. */
function isPath(text: string, begin: number, start: number, end: number): boolean {
  if (end - start < 6 || (begin > 0 && text.charCodeAt(begin - 1) === 60)) return false;
  let letters = 0;
  for (let at = start; at < end && letters < 2; at += 1) {
    letters = (CLASSES[text.charCodeAt(at)] ?? 0) <= UPPER ? letters + 1 : 0;
  }
  return letters === 2;
}

/** An address begins with its scheme, which a colon keeps out of the run. */
function startOfUrl(text: string, start: number): number {
  if (!text.startsWith("//", start) || start === 0) return start;
  let at = start - 1;
  if (text.charCodeAt(at) !== COLON) return start;
  while (at > 0 && start - at < 8 && (CLASSES[text.charCodeAt(at - 1)] ?? OTHER) <= UPPER) at -= 1;
  return at;
}

function isFileEnding(text: string, start: number, end: number): boolean {
  // All of them begin with a letter, and fractions of seconds do not.
  if (end - start > 8 || text.charCodeAt(start) < 64) return false;
  return FILE_ENDINGS.has(text.slice(start, end).toLowerCase());
}
