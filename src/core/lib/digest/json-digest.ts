import { formatPointer } from "../json/json-pointer.js";
import { isAddress, isScalar, textOf, type Scalar } from "../records/record-value.js";
import type { Digest } from "./content-kind.js";
import { isContainer, parse, type JsonContent } from "./json-content.js";
import { clip, countOf, formatCount, toPrintable, toPrintableLine } from "../text/printable.js";
import { listFields, listRows, readFields } from "./record-fields.js";

/** What does not fit as a whole is told in about so many characters. */
const USUAL_CHARS = 900;
/** Of these, what is around the records, and the names of their fields. */
const AROUND_SHARE = 0.5;
/** The names of keys come before their values, up to this share. */
const NAMES_SHARE = 0.6;
const FIELDS_SHARE = 0.75;
/** A longer string is told after what is short, with its length. */
const LONG_STRING = 200;
const MAX_TEXT_CHARS = 262_144;
const MAX_LISTS = 3;
const MIN_RECORDS = 3;
const VISITED_VALUES = 500;
const MAX_DEPTH = 6;
const LINE_CHARS = 120;

/** What is cut is told in so many characters, if it is told at all. */
const CUT_CHARS = 80;
const MIN_CHARS = 24;

/** Records in a list inside of a value, and where that is. */
interface Records {
  readonly path: readonly string[];
  readonly list: readonly unknown[];
  readonly items: readonly object[];
  /** Whether they are in lists inside of the list. */
  readonly isNested: boolean;
}

/**
 * JSON as it is where that fits. Otherwise its shape to the end, with true counts, the fields of its
 * records by the names that a query takes, and some records.
 */
export function jsonDigest(content: JsonContent, budgetChars: number): Digest {
  const { value, isLines, isSampled, before, after } = content;
  const kind = content.isQueried ? "json" : "text";
  const open = new Set<unknown>(content.open);
  const isArray = Array.isArray(value);
  const size = `${open.has(value) ? "at least " : ""}${countOf(sizeIn(value), isLines ? "value" : isArray ? "item" : "key")}`;
  const cut = open.size > 0 ? ", cut off: it ends before its last bracket" : "";
  const head = [
    `JSON ${isLines ? "Lines" : isArray ? "array" : "object"}, ${size}${isSampled ? ", read from its start and its end" : cut}.`,
    ...around("Before it", before),
    ...around("After it", after),
  ].join("\n");
  const room = budgetChars - head.length - 1;
  const whole = isSampled ? undefined : new Outliner(open).whole(value, room);
  if (whole !== undefined) return { kind, text: `${head}\n${whole}` };
  const usual = Math.min(room, USUAL_CHARS);
  const lists = findRecords(value);
  const outliner = new Outliner(open, new Set(lists.map(({ list }) => list)));
  const parts = [head];
  if (lists.every(({ list }) => list !== value)) {
    parts.push(outliner.outline(value, usual * (lists.length === 0 ? 1 : AROUND_SHARE)));
  }
  let left = usual - (parts[1] ?? "").length;
  for (const [at, list] of lists.entries()) {
    // Each further one is told if there is room, and named in the outline anyway.
    const most = at === 0 ? left : Math.min(left, usual / 3);
    const text = describeRecords(list, outliner, most, room - (usual - left));
    if (text.length + 1 > left && at > 0) break;
    parts.push(text);
    left -= text.length + 1;
  }
  return { kind, text: clip(parts.join("\n"), budgetChars) };
}

/** The first line of what surrounds JSON. */
function around(place: string, text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n", 1_000);
  const more = lines.length > 1 ? ` (${countOf(lines.length, "line")})` : "";
  return [`${place}${more}: ${clip(toPrintableLine((lines[0] ?? "").slice(0, 500)), LINE_CHARS)}`];
}

/** Number of records, their fields, and some of them as rows; all of them and nothing else if these fit in `most`. */
function describeRecords(records: Records, outliner: Outliner, room: number, most: number): string {
  const { path, list, items, isNested } = records;
  const pointer = toPrintable(formatPointer(path));
  const isAll = !outliner.open.has(list);
  const size = countOf(isNested ? items.length : list.length, "record");
  const lists = isNested ? ` in ${countOf(list.length, "list")}` : "";
  const lead = `${pointer === "" ? "" : `${pointer}: `}${isAll ? "" : "at least "}${size}${lists}`;
  const fields = readFields(items, isAll);
  const whole = listRows(items, fields, most - lead.length - 2, true);
  if (whole !== "") return `${lead}.\n${whole}`;
  const some = fields.isEvery ? "" : ` of ${formatCount(fields.seen)} of them`;
  const opening = `${lead}. Fields${some}: ${listFields(fields, room * FIELDS_SHARE - lead.length)}`;
  const left = room - opening.length - 1;
  const place = `${pointer}${isNested ? "/0/0" : "/0"}: `;
  const rows = listRows(items, fields, left);
  if (rows !== "") return `${opening}\n${rows}`;
  if (left < LINE_CHARS) return opening;
  return `${opening}\n${place}${outliner.outline(items[0], left - place.length)}`;
}

/** Values as short JSON; what records have a place of their own are only counted. */
class Outliner {
  constructor(
    readonly open: ReadonlySet<unknown>,
    readonly records: ReadonlySet<unknown> = new Set(),
  ) {}

  /** All of a value; `undefined` if that does not fit. */
  whole(value: unknown, room: number): string | undefined {
    if (isScalar(value)) {
      const isLong = typeof value === "string" && value.length > room;
      const text = isLong ? undefined : tellScalar(value);
      return text === undefined || text.length > room ? undefined : text;
    }
    const held = value as object;
    if (this.records.has(held) || sizeIn(held) > room / 2) return undefined;
    const parts: string[] = [];
    let left = room - 2;
    for (const [key, inner] of Object.entries(held)) {
      const name = Array.isArray(held) ? "" : `${nameKey(key)}: `;
      const text = this.whole(inner, left - name.length);
      if (text === undefined) return undefined;
      parts.push(name + text);
      left -= name.length + text.length + 2;
    }
    return this.#inBrackets(held, parts);
  }

  /** As much as fits: the names of all keys if they do, then values; what is short leaves its room to others. */
  outline(value: unknown, room: number): string {
    const text = parseText(value);
    if (text !== undefined) return `JSON text ${this.outline(text, room - 10)}`;
    const whole = this.whole(value, room);
    if (whole !== undefined) return whole;
    if (isScalar(value)) return tellScalar(value, Math.min(room - 14, CUT_CHARS));
    const held = value as object;
    const isList = Array.isArray(held);
    if (this.records.has(held) || room < MIN_CHARS) return this.#count(held);
    let left = room - 2 - `, … ${formatCount(sizeIn(held))} more`.length;
    const least = isList ? 0 : left * (1 - NAMES_SHARE);
    const entries = isList ? Object.entries(held.slice(0, left / MIN_CHARS)) : entriesOf(held);
    const names = entries.map(([key]) => (isList ? "" : nameKey(key)));
    const isLast = names.findIndex((name) => (left -= name.length + 2) < least);
    if (isLast !== -1) left += (names.splice(isLast)[0] ?? "").length + 2;
    const parts = names.map((name, at) => {
      const share = left / (names.length - at);
      const shown = this.outline(entries[at]?.[1], share - 2);
      if (shown.length + 2 > share) return name;
      left -= shown.length + 2;
      return name === "" ? shown : `${name}: ${shown}`;
    });
    return parts.length === 0 ? this.#count(held) : this.#inBrackets(held, parts);
  }

  #count(held: object): string {
    const size = sizeIn(held);
    const noun = this.records.has(held) ? "record" : Array.isArray(held) ? "item" : "key";
    return inBrackets(held, `${this.open.has(held) ? "at least " : ""}${countOf(size, noun)}`);
  }

  #inBrackets(held: object, parts: readonly string[]): string {
    const left = sizeIn(held) - parts.length;
    const more = this.open.has(held) ? "… more" : left > 0 ? `… ${formatCount(left)} more` : [];
    return inBrackets(held, parts.concat(more).join(", "));
  }
}

function inBrackets(held: object, text: string): string {
  return Array.isArray(held) ? `[${text}]` : `{${text}}`;
}

function sizeIn(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** Of an object, what is short and tells something comes first, long strings last. */
function entriesOf(value: object): [string, unknown][] {
  const rankOf = (inner: unknown): number => {
    if (!isScalar(inner)) return 2;
    if (typeof inner !== "string") return inner === null ? 1 : 0;
    return inner.length > LONG_STRING ? 3 : isAddress(inner) || inner === "" ? 1 : 0;
  };
  const entries: [string, unknown][] = Object.entries(value);
  return entries.sort(([, one], [, other]) => rankOf(one) - rankOf(other));
}

/** What a long string holds as JSON. */
function parseText(text: unknown): unknown {
  if (typeof text !== "string" || text.length <= LONG_STRING) return undefined;
  const isJson = /^\s*[[{]/.test(text.slice(0, 64)) && text.length <= MAX_TEXT_CHARS;
  const value = isJson ? parse(text) : undefined;
  return isContainer(value) ? value : undefined;
}

/** A scalar in about so many characters. Nothing in a string is escaped, so that it can be read. */
function tellScalar(value: Scalar, chars = Infinity): string {
  if (typeof value !== "string") return clip(textOf(value), chars);
  // More is taken than is shown, since some of it may not be printable.
  const shown = clip(toPrintableLine(value.slice(0, chars * 2)), chars);
  const isShort = value.length <= Math.max(chars, LONG_STRING);
  return isShort ? `"${shown}"` : `"${shown}" (${formatCount(value.length)} chars)`;
}

function nameKey(key: string): string {
  return /^[A-Za-z_$][\w$-]{0,59}$/.test(key) ? key : tellScalar(key, 60);
}

/** Lists of objects that are not deep inside and not in other lists: the one that a query takes first. */
function findRecords(value: object): Records[] {
  const found: Records[] = [];
  const queue: { item: object; path: readonly string[] }[] = [{ item: value, path: [] }];
  for (const { item, path } of queue) {
    if (queue.length > VISITED_VALUES) break;
    if (Array.isArray(item)) {
      const list: readonly unknown[] = item;
      const isNested = Array.isArray(list[0]);
      const flat = isNested ? list.flat() : list;
      const items = flat.filter((one): one is object => !isScalar(one) && !Array.isArray(one));
      const isRecords = items.length >= MIN_RECORDS && items.length * 2 >= flat.length;
      if (isRecords) found.push({ path, list, items, isNested });
    } else if (path.length < MAX_DEPTH) {
      for (const [key, inner] of Object.entries(item)) {
        if (!isScalar(inner)) queue.push({ item: inner as object, path: [...path, key] });
      }
    }
  }
  const weightOf = ({ items }: Records): number => items.length * sizeIn(items[0] ?? {});
  return found.sort((one, other) => weightOf(other) - weightOf(one)).slice(0, MAX_LISTS);
}
