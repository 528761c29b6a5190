import { formatPointer } from "../json/json-pointer.js";
import { isAddress, isScalar, textOf, type Scalar } from "../records/record-value.js";
import { clip, countOf, formatCount } from "../text/printable.js";
import type { Digest } from "./content-kind.js";
import { parse, type JsonContent } from "./json-content.js";
import { isRecord, listFields, listRows, readFields, toLine } from "./record-fields.js";

/** What does not fit as a whole is told in about so many characters. */
const USUAL_CHARS = 900;
/** Of these, what is around the records, and the names of their fields. */
const AROUND_SHARE = 0.5;
const FIELDS_SHARE = 0.75;
/** The names of keys come before their values, up to this share. */
const NAMES_SHARE = 0.6;
/** A longer string is told after what is short, with its length. */
const LONG_STRING = 200;
const MAX_LISTS = 3;
const MIN_RECORDS = 3;
const MAX_VISITED = 500;
const MAX_DEPTH = 6;
/** What is cut is told in so many characters, if it is told at all. */
const CUT_CHARS = 80;
const MIN_CHARS = 24;
const LINE_CHARS = 120;

/**
 * JSON as it is where that fits. Otherwise its shape to the end, with true counts, the fields of its
 * records by the names that a query takes, and some records.
 */
export function jsonDigest(content: JsonContent, budgetChars: number): Digest {
  const { value, open, title, isQueried } = content;
  const room = budgetChars - title.length - 1;
  const whole = new Outliner(open).whole(value, room);
  const parts = [title, ...(whole === undefined ? describe(value, open, room) : [whole])];
  return { kind: isQueried ? "json" : "text", text: clip(parts.join("\n"), budgetChars) };
}

/** The outline of a value, then the records in it. */
function describe(value: object, open: readonly object[], budgetChars: number): string[] {
  const lists = findRecords(value);
  const outliner = new Outliner(open, lists);
  const room = Math.min(budgetChars, USUAL_CHARS);
  const share = lists.length === 0 ? 1 : AROUND_SHARE;
  const parts = lists[0]?.list === value ? [] : [outliner.cut(value, room * share)];
  for (const records of lists) {
    const left = room - parts.join("\n").length - 1;
    // Each further one is told if there is room, and named in the outline anyway.
    const isFirst = records === lists[0];
    const text = outliner.describe(records, isFirst ? left : Math.min(left, room / 3));
    if (text.length <= left || isFirst) parts.push(text);
  }
  return parts;
}

/** A list of records, and where it is. */
interface Records {
  readonly path: readonly string[];
  readonly list: readonly unknown[];
  readonly items: readonly object[];
  /** Whether these are in lists inside of the list. */
  readonly isNested: boolean;
}

/** Values as short JSON; what records have a place of their own are only counted. */
class Outliner {
  readonly #open: ReadonlySet<object>;
  readonly #lists: ReadonlySet<unknown>;

  constructor(open: readonly object[], lists: readonly Records[] = []) {
    this.#open = new Set(open);
    this.#lists = new Set(lists.map(({ list }) => list));
  }

  /** The number of records, their fields, and the first of them. */
  describe({ path, list, items, isNested }: Records, room: number): string {
    const pointer = formatPointer(path);
    const isOpen = this.#open.has(list);
    const size = isNested
      ? `${isOpen ? "at least " : ""}${countOf(items.length, "record")} in ${countOf(list.length, "list")}`
      : this.#count(list, "record");
    const lead = `${pointer && `${pointer}: `}${size}`;
    const known = readFields(items, !isOpen);
    const some = known.isEvery ? "" : ` of ${formatCount(known.seen)} of them`;
    const names = listFields(known, room * FIELDS_SHARE - lead.length);
    const opening = `${lead}. Fields${some}: ${names}\n`;
    const left = room - opening.length;
    const total = `${isOpen ? "at least " : ""}${formatCount(items.length)}`;
    const rows = listRows(items, known.fields, left, total);
    const place = `${pointer}/${isNested ? "0/0" : list.indexOf(items[0])}: `;
    return opening + (rows || place + this.outline(items[0], left - place.length));
  }

  /** All of a value; `undefined` if that does not fit. */
  whole(value: unknown, room: number): string | undefined {
    if (isScalar(value)) {
      const text = typeof value === "string" && value.length > room ? value : tellScalar(value);
      return text.length > room ? undefined : text;
    }
    const held = value as object;
    if (this.#lists.has(held) || sizeOf(held) > room / 2) return undefined;
    const parts: string[] = [];
    let left = room - 2;
    for (const [key, inner] of Object.entries(held)) {
      const name = Array.isArray(held) ? "" : nameKey(key);
      const text = this.whole(inner, left - name.length);
      if (text === undefined) return undefined;
      parts.push(name + text);
      left -= name.length + text.length + 2;
    }
    return this.#enclose(held, parts);
  }

  /** As much as fits: the names of all keys if they do, then values; what is short leaves its room to others. */
  outline(value: unknown, room: number): string {
    const inner = parseText(value);
    if (inner !== undefined) return `JSON text ${this.outline(inner, room - 10)}`;
    const whole = this.whole(value, room);
    if (whole !== undefined) return whole;
    // A start that says nothing is too long, so that the name stands alone.
    if (isScalar(value)) return tellScalar(value, Math.max(8, Math.min(room - 14, CUT_CHARS)));
    return this.cut(value as object, room);
  }

  /** What fits of a list or an object that does not fit whole. */
  cut(held: object, room: number): string {
    if (this.#lists.has(held) || room < MIN_CHARS) return this.#enclose(held, []);
    let left = room - `[, … ${formatCount(sizeOf(held))} more]`.length;
    const least = Array.isArray(held) ? 0 : left * (1 - NAMES_SHARE);
    const entries = entriesOf(held, room);
    const end = entries.findIndex(([name]) => (left -= name.length + 2) < least);
    const parts = entries.slice(0, end === -1 ? undefined : end).map(([name, inner], at, named) => {
      const share = left / (named.length - at);
      const shown = this.outline(inner, share);
      if (shown.length > share) return name.slice(0, -2) || "…";
      left -= shown.length;
      return name + shown;
    });
    return this.#enclose(held, parts);
  }

  #count(held: object, noun = Array.isArray(held) ? "item" : "key"): string {
    return `${this.#open.has(held) ? "at least " : ""}${countOf(sizeOf(held), noun)}`;
  }

  #enclose(held: object, parts: readonly string[]): string {
    const left = sizeOf(held) - parts.length;
    const more = this.#open.has(held) ? "… more" : left > 0 ? `… ${formatCount(left)} more` : [];
    const noun = this.#lists.has(held) ? "record" : undefined;
    const isCounted = parts.length === 0 && left > 0;
    const text = isCounted ? this.#count(held, noun) : parts.concat(more).join(", ");
    return Array.isArray(held) ? `[${text}]` : `{${text}}`;
  }
}

function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** What is in a list, or in an object with its names: what is short and tells something first, long strings last. */
function entriesOf(value: object, room: number): (readonly [name: string, inner: unknown])[] {
  if (Array.isArray(value)) {
    const most = room / (isScalar(value[0]) ? MIN_CHARS : LINE_CHARS);
    return value.slice(0, Math.max(1, most)).map((item) => ["", item]);
  }
  const ranks: [string, unknown][][] = [[], [], [], []];
  for (const entry of Object.entries(value)) ranks[rankOf(entry[1])]?.push(entry);
  const first = ranks.flat().slice(0, room);
  return first.map(([key, inner]) => [nameKey(key), inner]);
}

function rankOf(value: unknown): number {
  if (!isScalar(value)) return 2;
  if (textOf(value).length > LONG_STRING) return 3;
  return value === null || value === "" || isAddress(value) ? 1 : 0;
}

/** What a long string holds as JSON. */
function parseText(text: unknown): object | undefined {
  const isLong = typeof text === "string" && text.length > LONG_STRING;
  return isLong && /^\s{0,64}[[{]/.test(text) ? parse(text) : undefined;
}

/** A scalar in about so many characters. Nothing in a string is escaped, so that it can be read. */
function tellScalar(value: Scalar, chars = Infinity): string {
  if (typeof value !== "string") return clip(textOf(value), chars);
  const isShort = value.length <= Math.max(chars, LONG_STRING);
  const shown = `"${toLine(value, chars)}"`;
  return isShort ? shown : `${shown} (${formatCount(value.length)} chars)`;
}

function nameKey(key: string): string {
  return `${/^[A-Za-z_$][\w$-]{0,59}$/.test(key) ? key : tellScalar(key, 60)}: `;
}

/** Lists of objects that are not deep inside and not in other lists: the one that a query takes first. */
function findRecords(value: object): Records[] {
  const found: Records[] = [];
  const queue = [{ item: value, path: [] as readonly string[] }];
  for (const { item, path } of queue) {
    if (queue.length > MAX_VISITED) break;
    if (Array.isArray(item)) {
      const isNested = Array.isArray(item[0]);
      const flat: readonly unknown[] = isNested ? item.flat() : item;
      const items = flat.filter(isRecord);
      const areRecords = items.length >= MIN_RECORDS && items.length * 2 >= flat.length;
      if (areRecords) found.push({ path, list: item, items, isNested });
    } else if (path.length < MAX_DEPTH) {
      for (const [key, inner] of Object.entries(item)) {
        if (!isScalar(inner)) queue.push({ item: inner as object, path: [...path, key] });
      }
    }
  }
  const weightOf = ({ items }: Records): number => items.length * sizeOf(items[0] ?? {});
  return found.sort((one, other) => weightOf(other) - weightOf(one)).slice(0, MAX_LISTS);
}
