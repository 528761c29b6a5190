import { formatPointer } from "../json/json-pointer.js";
import { ExactNumber, isAddress } from "../records/record-value.js";
import type { Digest } from "./content-kind.js";
import { readJson, type JsonContent } from "./json-content.js";
import { clip, countOf, formatCount, toPrintable, toPrintableLine } from "./printable.js";
import { firstOf, listAllRows, listFields, listRows, readFields } from "./record-fields.js";
import type { SampledText } from "./sampled-text.js";

/** How much of a value is shown. */
type Limits = Readonly<Record<"items" | "keys" | "chars" | "depth", number>>;

const ALL: Limits = { items: 1e9, keys: 1e9, chars: 1e9, depth: 60 };
/** The least that tells something, and more where there is room for it. */
const BRIEF: Limits = { items: 0, keys: 0, chars: 80, depth: 1 };
const LIMITS: readonly Limits[] = [
  { items: 8, keys: 80, chars: 160, depth: 6 },
  { items: 4, keys: 40, chars: 80, depth: 4 },
  { items: 2, keys: 20, chars: 40, depth: 3 },
  { items: 1, keys: 20, chars: 24, depth: 2 },
];
/** What does not fit as a whole is told in about so many characters. */
const USUAL_CHARS = 900;
/** Of these, what is around the records, depending on how many keys that are, and the names of their fields. */
const AROUND_SHARES = { least: 0.35, most: 0.7, perKey: 0.02 };
/** The names of keys come before their values, up to this share. */
const NAMES_SHARE = 0.6;
const FIELDS_SHARE = 0.75;
/** A longer string is told after what is short, with its length. */
const LONG_STRING = 200;
const MAX_TEXT_CHARS = 262_144;
const MAX_LISTS = 3;
const MIN_RECORDS = 3;
/** An object of so many objects is a list by key, not a record. */
const MIN_ENTRIES = 6;
const VISITED_VALUES = 2_000;
const MAX_DEPTH = 6;
const LINE_CHARS = 120;
const TEXT_OF_JSON = "JSON text ";
const MIN_RECORD_CHARS = 160;

type Fields = Readonly<Record<string, unknown>>;

/** Records of one kind inside of a value, and where they are. */
interface Records {
  readonly path: readonly string[];
  /** The array or object that holds them. */
  readonly holder: object;
  readonly items: readonly Fields[];
  /** Whether they are in lists inside of the list. */
  readonly isNested: boolean;
  /** Pointers from the holder to them, where these are not just numbers. */
  readonly keys: readonly string[] | undefined;
}

/**
 * JSON as it is where that fits. Otherwise its shape to the end, with true counts, the fields of its
 * records by the names that a query takes, and some records. `undefined` if the text is something else.
 */
export function jsonDigest(sampled: SampledText, budgetChars: number): Digest | undefined {
  const content = readJson(sampled);
  if (content === undefined) return undefined;
  const { form, reading, value, extents, before, after } = content;
  const isQueried = form !== "printed" && reading !== "cut" && before === "" && after === "";
  const kind = isQueried ? "json" : "text";
  const shower = new JsonShower(extents);
  const head = [
    titleOf(content),
    ...around("Before it", before),
    ...around("After it", after),
  ].join("\n");
  const room = budgetChars - head.length - 1;
  const whole =
    extents.size === 0 || reading === "cut" ? shower.show(value, ALL, room, []) : undefined;
  if (whole !== undefined) return { kind, text: `${head}\n${whole}` };
  const usual = Math.min(room, USUAL_CHARS);
  const lists = findRecords(value).slice(0, MAX_LISTS);
  const { least, most, perKey } = AROUND_SHARES;
  const share =
    lists.length === 0 ? 1 : Math.min(most, Math.max(least, perKey * Object.keys(value).length));
  const isList = lists.some(({ holder }) => holder === value);
  const outline = isList ? "" : shower.outline(value, usual * share, lists);
  const parts = outline === "" ? [head] : [head, outline];
  let left = usual - outline.length;
  for (const [at, list] of lists.entries()) {
    // Each further one is told if there is room, and named in the outline anyway.
    const text = describeRecords(
      list,
      shower,
      at === 0 ? left : Math.min(left, usual / 3),
      room - (usual - left),
    );
    if (text.length + 1 > left && at > 0) break;
    parts.push(text);
    left -= text.length + 1;
  }
  return { kind, text: clip(parts.join("\n"), budgetChars) };
}

function titleOf({ form, value, extents, reading }: JsonContent): string {
  const count = sizeOf(value, extents);
  const shape = Array.isArray(value)
    ? form === "JSON Lines"
      ? `, ${count("value")}`
      : ` array, ${count("item")}`
    : ` object, ${count("key")}`;
  const notes = [
    ...(form === "printed" ? ["as a program prints it: no query reads it"] : []),
    ...(reading === "cut" ? ["cut off: it ends before its last bracket"] : []),
    ...(reading === "ends" ? ["read from its start and its end"] : []),
  ];
  return `${[(form === "printed" ? "JSON-like" : form) + shape, ...notes].join(", ")}.`;
}

/** The first line of what surrounds JSON. */
function around(place: string, text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n", 1_000);
  const more = lines.length > 1 ? ` (${countOf(lines.length, "line")})` : "";
  return [`${place}${more}: ${clip(toPrintableLine((lines[0] ?? "").slice(0, 500)), LINE_CHARS)}`];
}

function sizeOf(value: object, extents: JsonContent["extents"]): (noun: string) => string {
  const { count, isEnded } = extents.get(value) ?? {
    count: Array.isArray(value) ? value.length : Object.keys(value).length,
    isEnded: true,
  };
  return (noun) => `${isEnded ? "" : "at least "}${countOf(count, noun)}`;
}

/** Number of records, their fields, and some of them as rows. */
function describeRecords(list: Records, shower: JsonShower, room: number, most: number): string {
  const { path, holder, items, keys, isNested } = list;
  const { extents } = shower;
  const pointer = toPrintable(formatPointer(path));
  const fields = readFields(items);
  const held = isNested ? sizeIn(holder) : items.length;
  const { count, isEnded } = extents.get(holder) ?? { count: held, isEnded: true };
  const isAll = isEnded && count === held;
  const isEvery = fields.isEvery && isAll;
  const size = isNested
    ? `${isAll ? "" : "at least "}${countOf(items.length, "record")} in ${sizeOf(holder, extents)("list")}`
    : sizeOf(holder, extents)("record");
  const lead = `${pointer === "" ? "" : `${pointer}: `}${size}`;
  const known = { ...fields, isEvery };
  const table = { items, keys, isAll, of: size.slice(0, size.indexOf(" record")) };
  const whole = isAll ? listAllRows(table, known, most - lead.length - 2) : "";
  if (whole !== "") return `${lead}.\n${whole}`;
  const sampled = isEvery ? "" : ` of ${formatCount(fields.seen)} of them`;
  const named = listFields(known, room * FIELDS_SHARE - lead.length);
  const opening = `${lead}. Fields${sampled}: ${named}`;
  const left = room - opening.length - 1;
  const rows = listRows(table, known, left);
  if (rows !== "") return `${opening}\n${rows}`;
  if (left < MIN_RECORD_CHARS) return opening;
  const place = toPrintable(pointer + (keys?.[0] ?? "/0"));
  return `${opening}\n${place}: ${shower.outline(items[0], left - place.length - 2, [])}`;
}

/** Values as short JSON. */
class JsonShower {
  constructor(readonly extents: JsonContent["extents"]) {}

  /**
   * As much as fits: the names of all keys if they do, then values, what is short first. Records have a
   * place of their own.
   */
  outline(value: unknown, room: number, lists: readonly Records[]): string {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      for (const limits of [...LIMITS, BRIEF]) {
        const text = this.show(value, limits, room, lists);
        if (text !== undefined) return text;
      }
      return "";
    }
    const entries = entriesOf(value);
    const names = entries.map(([key]) => nameKey(key));
    const listed = firstOf(names, room * NAMES_SHARE, this.extents.get(value)?.count);
    let left = room - 2 - listed.length;
    const told = new Map<number, string>();
    const tell = (at: number, text: string | undefined): void => {
      if (text === undefined || text === "") return;
      left -= text.length - (told.get(at)?.length ?? -2);
      told.set(at, text);
    };
    // Names that were not listed come with their values.
    const shown = listed === names.join(", ") ? entries.length : listed.split(", ").length - 1;
    for (const [at, [, inner]] of entries.slice(0, shown).entries()) {
      tell(at, this.show(inner, BRIEF, left - 2, lists));
    }
    for (const [at, [, inner]] of entries.slice(0, shown).entries()) {
      const brief = told.get(at);
      const isText = brief?.startsWith(TEXT_OF_JSON) === true;
      if (brief === undefined || inner === null) continue;
      if (!isText && typeof inner !== "object") continue;
      if (lists.some(({ holder }) => holder === inner)) continue;
      const more = isText
        ? TEXT_OF_JSON +
          this.outline(parseText(inner as string), left + brief.length - TEXT_OF_JSON.length, [])
        : this.outline(inner, left + brief.length, lists);
      if (more.length > brief.length && !more.startsWith("{…")) tell(at, more);
    }
    const rest = listed.slice(names.slice(0, shown).join(", ").length);
    const parts = names
      .slice(0, shown)
      .map((name, at) => (told.has(at) ? `${name}: ${told.get(at) ?? ""}` : name));
    return `{${parts.join(", ")}${rest}${this.#isEnded(value) ? "" : rest === "" ? ", … more" : ""}}`;
  }

  #isEnded(value: object): boolean {
    return this.extents.get(value)?.isEnded ?? true;
  }

  /** A value as JSON within limits; `undefined` if that takes more than `room`. */
  show(
    value: unknown,
    limits: Limits,
    room: number,
    lists: readonly Records[],
  ): string | undefined {
    let left = room;
    const parts: string[] = [];
    const put = (text: string): boolean => {
      left -= text.length;
      if (left >= 0) parts.push(text);
      return left >= 0;
    };
    const render = (item: unknown, depth: number): boolean => {
      if (typeof item === "string") return this.#putText(item, limits, depth, put, render);
      if (item instanceof ExactNumber) return put(clip(item.source, limits.chars));
      if (typeof item !== "object" || item === null) return put(String(item));
      if (lists.some(({ holder }) => holder === item)) return put(this.#briefOf(item, "record"));
      const entries = Object.entries(item);
      if (entries.length > 0 && depth >= limits.depth) return put(this.#briefOf(item));
      const isList = Array.isArray(item);
      const most = isList ? limits.items : limits.keys;
      if (entries.length > 0 && most === 0) return put(this.#briefOf(item));
      if (!put(isList ? "[" : "{")) return false;
      for (const [index, [key, inner]] of entries.slice(0, most).entries()) {
        if (index > 0 && !put(", ")) return false;
        if (!isList && !put(`${nameKey(key)}: `)) return false;
        if (!render(inner, depth + 1)) return false;
      }
      const { count, isEnded } = this.extents.get(item) ?? { count: sizeIn(item), isEnded: true };
      const more = count - Math.min(entries.length, most);
      if (more > 0 || !isEnded) {
        const comma = entries.length > 0 && most > 0 ? ", " : "";
        if (!put(`${comma}… ${isEnded ? `${formatCount(more)} ` : ""}more`)) return false;
      }
      return put(isList ? "]" : "}");
    };
    return render(value, 0) ? parts.join("") : undefined;
  }

  /** A string, or what it holds if that is JSON. */
  #putText(
    text: string,
    limits: Limits,
    depth: number,
    put: (text: string) => boolean,
    render: (value: unknown, depth: number) => boolean,
  ): boolean {
    const isJson = text.length > LONG_STRING && limits !== ALL && depth < limits.depth;
    const inner = isJson ? parseText(text) : undefined;
    if (inner === undefined) return put(quote(text, limits.chars));
    return put(TEXT_OF_JSON) && render(inner, depth);
  }

  #briefOf(value: object, noun?: string): string {
    const isList = Array.isArray(value);
    const size = sizeOf(value, this.extents)(noun ?? (isList ? "item" : "key"));
    return isList ? `[${size}]` : `{${size}}`;
  }
}

function sizeIn(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** Of an object, what is short and tells something comes first, long strings last. */
function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  const rankOf = (inner: unknown): number => {
    if (typeof inner === "object") return inner === null ? 1 : 2;
    if (typeof inner !== "string") return 0;
    return inner.length > LONG_STRING ? 3 : isAddress(inner) || inner === "" ? 1 : 0;
  };
  return Object.entries(value)
    .map((entry) => ({ entry, rank: rankOf(entry[1]) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ entry }) => entry);
}

function parseText(text: string): unknown {
  if (!/^\s*[[{]/.test(text.slice(0, 64)) || text.length > MAX_TEXT_CHARS) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
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

/** Lists of objects that are not deep inside and not in other lists: the one that a query takes first. */
function findRecords(value: object): Records[] {
  const found: Records[] = [];
  const queue: { readonly item: object; readonly path: readonly string[] }[] = [
    { item: value, path: [] },
  ];
  for (let at = 0; at < queue.length && at < VISITED_VALUES; at += 1) {
    const { item, path } = queue[at] as (typeof queue)[number];
    const isList = Array.isArray(item);
    const values: readonly unknown[] = isList ? item : Object.values(item);
    const flat = isList && Array.isArray(values[0]) ? values.flat() : values;
    const items = flat.filter(isFields);
    const isRecords = isList
      ? items.length >= MIN_RECORDS && items.length * 2 >= flat.length
      : items.length >= MIN_ENTRIES &&
        items.length === values.length &&
        Object.keys(items[0] ?? {}).length > 1;
    if (isRecords) {
      const isNested = flat !== values;
      found.push({ path, holder: item, items, isNested, keys: keysOf(item, isNested) });
    }
    if (isList || path.length === MAX_DEPTH) continue;
    for (const [key, inner] of Object.entries(item)) {
      if (typeof inner !== "object" || inner === null || inner instanceof ExactNumber) continue;
      queue.push({ item: inner as object, path: [...path, key] });
    }
  }
  // What is in records that are listed by key is told with them.
  const isInside = (list: Records): boolean =>
    found.some(
      ({ path, holder }) =>
        !Array.isArray(holder) &&
        path.length < list.path.length &&
        path.every((key, at) => key === list.path[at]),
    );
  return found.filter((list) => !isInside(list)).sort((a, b) => weightOf(b) - weightOf(a));
}

function keysOf(holder: object, isNested: boolean): string[] | undefined {
  if (!Array.isArray(holder)) return Object.keys(holder).map((key) => formatPointer([key]));
  if (!isNested) return undefined;
  return holder.flatMap((list: unknown, at) =>
    Array.isArray(list)
      ? list.flatMap((item, inner) => (isFields(item) ? `/${at}/${inner}` : []))
      : [],
  );
}

function weightOf({ items, holder }: Records): number {
  const width = Object.keys(items[0] ?? {}).length;
  return items.length * Math.max(1, width) * (Array.isArray(holder) ? 1 : 0.5);
}

function isFields(value: unknown): value is Fields {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
  );
}
