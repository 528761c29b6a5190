import type { JsonContent } from "./json-content.js";
import { clip, countOf, formatCount, toPrintable, toPrintableLine } from "./printable.js";

/** How much of a value is shown. */
type Limits = Readonly<Record<"items" | "keys" | "chars" | "depth", number>>;

/** From all of it to hardly any: first long strings are cut, then arrays and depth, then keys. */
const LIMITS: readonly Limits[] = [
  { items: 1e9, keys: 1e9, chars: 1e9, depth: 60 },
  { items: 20, keys: 80, chars: 400, depth: 12 },
  { items: 12, keys: 80, chars: 160, depth: 8 },
  { items: 6, keys: 80, chars: 80, depth: 6 },
  { items: 3, keys: 80, chars: 60, depth: 5 },
  { items: 2, keys: 60, chars: 40, depth: 4 },
  { items: 1, keys: 60, chars: 40, depth: 3 },
  { items: 1, keys: 40, chars: 40, depth: 2 },
  { items: 0, keys: 40, chars: 40, depth: 1 },
];
/** The length of a string that was cut is told from this length on. */
const LONG_STRING = 200;
const MIN_RECORDS = 3;
/** An object of so many objects is a list by key, not a record. */
const MIN_ENTRIES = 6;
const VISITED_VALUES = 2_000;
const MAX_DEPTH = 6;
/** What one record may take of the budget, and what is around the records. */
const RECORD_SHARE = 0.5;
const AROUND_SHARE = 0.4;
const MAX_ID = 80;

type Unfinished = JsonContent["unfinished"];

type Fields = Readonly<Record<string, unknown>>;

/** Records of one kind inside a value, and where they are. */
interface Records {
  readonly pointer: string;
  /** The array or object that holds them. */
  readonly holder: object;
  readonly items: readonly Fields[];
  /** The keys under which an object holds them. */
  readonly keys?: readonly string[];
}

/**
 * A value as short JSON: all of it where it fits. Of many records, the field that tells them apart
 * for all of them, and one record in full.
 */
export function jsonDigest(
  { value, unfinished }: Pick<JsonContent, "value" | "unfinished">,
  title: string,
  mostChars: number,
  budgetChars: number,
): { readonly text: string; readonly isWhole: boolean } {
  const [everything] = LIMITS;
  const whole =
    everything && renderWithin(value, everything, mostChars - title.length - 1, unfinished);
  if (whole !== undefined) return { text: `${title}\n${whole}`, isWhole: true };
  const room = budgetChars - title.length - 1;
  const records = findRecords(value);
  if (records === undefined)
    return { text: `${title}\n${renderValue(value, room, unfinished)}`, isWhole: false };
  const { pointer, holder, items, keys } = records;
  const share = Math.floor(room * AROUND_SHARE);
  const around = pointer === "" ? "" : renderValue(value, share, unfinished, holder);
  const place = toPrintable(`${pointer}/${escapeKey(keys?.[0] ?? "0")}`);
  const first = `${place}: ${renderValue(items[0], Math.floor(room * RECORD_SHARE), unfinished)}`;
  const opening = around === "" ? title : `${title}\n${around}`;
  const ids = describeIds(records, mostChars - opening.length - first.length - 2, unfinished);
  return { text: `${opening}\n${ids}\n${first}`, isWhole: false };
}

/** `value` as JSON with as much detail as fits. */
function renderValue(
  value: unknown,
  room: number,
  unfinished: Unfinished,
  listed?: object,
): string {
  for (const limits of LIMITS) {
    const text = renderWithin(value, limits, room, unfinished, listed);
    if (text !== undefined) return text;
  }
  const least = LIMITS.at(-1);
  if (least === undefined || !isFields(value)) return "";
  // As many keys as fit.
  const keys = Object.keys(value);
  for (let shown = Math.min(keys.length, least.keys); shown > 0; shown = Math.floor(shown * 0.8)) {
    const text = renderWithin(value, { ...least, keys: shown }, room, unfinished, listed);
    if (text !== undefined) return text;
  }
  return "";
}

/** `value` as JSON within limits, or undefined if that takes more than `room`. */
function renderWithin(
  value: unknown,
  limits: Limits,
  room: number,
  unfinished: Unfinished,
  listed?: object,
): string | undefined {
  let left = room;
  const parts: string[] = [];
  const put = (text: string): boolean => {
    left -= text.length;
    if (left >= 0) parts.push(text);
    return left >= 0;
  };
  const moreOf = (item: object, count: number): string =>
    `, … ${unfinished.has(item) ? "" : `${formatCount(count)} `}more`;
  const render = (item: unknown, depth: number): boolean => {
    if (item === listed && listed !== undefined) return put(briefOf(listed, unfinished));
    if (typeof item === "string") return put(quote(item, limits.chars));
    if (typeof item !== "object" || item === null) return put(String(item));
    if (Array.isArray(item)) {
      const items: readonly unknown[] = item;
      if (items.length > 0 && (depth >= limits.depth || limits.items === 0))
        return put(briefOf(items, unfinished));
      if (!put("[")) return false;
      for (const [index, element] of items.entries()) {
        if (index >= limits.items) return put(`${moreOf(item, items.length - index)}]`);
        if ((index > 0 && !put(", ")) || !render(element, depth + 1)) return false;
      }
      return put("]");
    }
    const keys = Object.keys(item);
    if (keys.length > 0 && depth >= limits.depth) return put(briefOf(item, unfinished));
    if (!put("{")) return false;
    for (const [index, key] of keys.entries()) {
      if (index >= limits.keys) return put(`${moreOf(item, keys.length - index)}}`);
      if (!put(`${index > 0 ? ", " : ""}${nameKey(key)}: `)) return false;
      if (!render((item as Fields)[key], depth + 1)) return false;
    }
    return put("}");
  };
  return render(value, 0) ? parts.join("") : undefined;
}

function briefOf(value: object, unfinished: Unfinished): string {
  const least = unfinished.has(value) ? "at least " : "";
  return Array.isArray(value)
    ? `[${least}${countOf(value.length, "item")}]`
    : `{${least}${countOf(Object.keys(value).length, "key")}}`;
}

/** A string in quotation marks, on one line; nothing in it is escaped, so that it can be read. */
function quote(text: string, chars: number): string {
  // More is taken than is shown, since some of it may not be printable.
  const shown = clip(toPrintableLine(text.length > chars ? text.slice(0, chars * 2) : text), chars);
  return text.length <= Math.max(chars, LONG_STRING)
    ? `"${shown}"`
    : `"${shown}" (${formatCount(text.length)} chars)`;
}

function nameKey(key: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(key) && key.length <= 60 ? key : quote(key, 60);
}

/** The largest list of objects that is not deep inside. */
function findRecords(value: unknown): Records | undefined {
  let best: Records | undefined;
  let visited = 0;
  const queue: { readonly value: unknown; readonly pointer: string; readonly depth: number }[] = [
    { value, pointer: "", depth: 0 },
  ];
  for (
    let next = queue.shift();
    next !== undefined && visited < VISITED_VALUES;
    next = queue.shift()
  ) {
    visited += 1;
    const { value: item, pointer, depth } = next;
    if (typeof item !== "object" || item === null || depth > MAX_DEPTH) continue;
    const values: readonly unknown[] = Array.isArray(item) ? item : Object.values(item);
    const items = values.filter(isFields);
    const least = Array.isArray(item) ? MIN_RECORDS : MIN_ENTRIES;
    if (
      items.length >= least &&
      items.length === values.length &&
      items.length > (best?.items.length ?? 0)
    ) {
      best = {
        pointer,
        holder: item,
        items,
        ...(Array.isArray(item) ? {} : { keys: Object.keys(item) }),
      };
    }
    if (Array.isArray(item)) continue;
    for (const [key, inner] of Object.entries(item)) {
      if (typeof inner !== "object" || inner === null) continue;
      queue.push({ value: inner, pointer: `${pointer}/${escapeKey(key)}`, depth: depth + 1 });
    }
  }
  return best;
}

function escapeKey(key: string): string {
  return key.replace(/~/g, "~0").replace(/\//g, "~1");
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The field that tells the records apart, for as many of them as fit. */
function describeIds(
  { pointer, holder, items, keys }: Records,
  room: number,
  unfinished: Unfinished,
): string {
  const isUnfinished = unfinished.has(holder);
  const field = keys === undefined ? identifyingField(items) : "";
  const where = pointer === "" ? "" : `${toPrintable(pointer)}: `;
  const count = `${where}${isUnfinished ? "at least " : ""}${countOf(items.length, "record")}`;
  if (field === undefined) return `${count}.`;
  let text = keys === undefined ? `${count}; ${nameKey(field)} of each: ` : `${count}, by key: `;
  let separator = "";
  for (const [index, item] of items.entries()) {
    const id = (keys?.[index] ?? item[field]) as string | number | undefined;
    // The record has none, or it comes in what was not read of it.
    if (id === undefined) continue;
    const shown = clip(toPrintable(String(id)), MAX_ID);
    const more = `, … ${isUnfinished ? "" : `${formatCount(items.length - index)} `}more`;
    if (text.length + shown.length + more.length + 2 > room)
      return text + more.slice(2 - separator.length);
    text += separator + shown;
    separator = ", ";
  }
  return text;
}

const ID_FIELDS =
  /^(?:id|key|name|title|path|slug|file|filename|file_path|url|uri|symbol|code|label|email|username)$|(?:[_-]?(?:id|name|number|key|path|title)|Id|Name|Number|Key|Path|Title)$/;

function identifyingField(items: readonly Fields[]): string | undefined {
  const checked = items.slice(0, 40);
  let best: string | undefined;
  let most = 0;
  for (const key of Object.keys(checked[0] ?? {})) {
    const values = checked
      .map((item) => item[key])
      .filter((value) => typeof value === "string" || typeof value === "number");
    if (values.length < checked.length * 0.8) continue;
    const distinct = new Set(values).size / checked.length;
    const long = values.some((value) => String(value).length > MAX_ID);
    const named = /^(?:name|title|path)$/.test(key) ? 0.7 : ID_FIELDS.test(key) ? 0.5 : 0;
    const texts = typeof values[0] === "string" ? 0.1 : 0;
    const score = distinct + named + texts - (long ? 0.6 : 0);
    if (distinct > 0.5 && score > most) {
      most = score;
      best = key;
    }
  }
  return best;
}
