import { ExactNumber, isScalar, nameOf, textOf, type Scalar } from "../records/record-value.js";
import { clip, formatCount, toPrintableLine } from "./printable.js";

/** How many values are looked at; of more records, some are. */
const MAX_VALUES = 10_000;
const MAX_FIELDS = 400;
const MAX_DEPTH = 4;
/** So many items of a list in a record tell what it holds. */
const LIST_ITEMS = 3;
/** A field with so few values that are this short is told with them. */
const MAX_CHOICES = 6;
const CHOICE_CHARS = 24;
const LONG_CHARS = 200;
const NAME_CHARS = 60;
const CELL_CHARS = 64;
const MAX_ROW_CHARS = 160;

/** What is known of one field of records. */
export interface RecordField {
  readonly path: readonly string[];
  readonly name: string;
  /** How many records have it with a value. */
  count: number;
  isList: boolean;
  /** Each value with how often it occurs, if these are few. */
  choices: Map<string, number> | undefined;
  values: number;
  chars: number;
  maxChars: number;
  /** The least and the greatest, if all are numbers or all are dates. */
  range: Range | undefined;
  isRange: boolean;
}

interface Range {
  readonly kind: "number" | "date";
  min: number | string;
  max: number | string;
  /** As they are written. */
  first: string;
  last: string;
}

export interface RecordFields {
  readonly fields: readonly RecordField[];
  /** How many records were looked at. */
  readonly seen: number;
  readonly isEvery: boolean;
}

/** The fields of records: those of objects in them, too, by the names that a query takes. */
export function readFields(records: readonly unknown[]): RecordFields {
  const fields: RecordField[] = [];
  const root: Place = { path: [], field: undefined, inner: new Map() };
  let values = 0;
  const fieldAt = (place: Place, isInList: boolean): RecordField => {
    values += 1;
    if (place.field === undefined) fields.push((place.field = newField(place.path)));
    place.field.isList ||= isInList;
    return place.field;
  };
  const visit = (place: Place, value: unknown, isInList: boolean): void => {
    if (isScalar(value)) addValue(fieldAt(place, isInList), value);
    else if (Array.isArray(value)) {
      const items = (value as readonly unknown[]).slice(0, LIST_ITEMS);
      const isPlain = items.some((item) => isScalar(item) || Array.isArray(item));
      if (isPlain || items.length === 0) fieldAt(place, true).count += 1;
      else for (const item of items) visit(place, item, true);
    } else {
      const keys = Object.keys(value as object);
      if (keys.length === 0 || place.path.length === MAX_DEPTH || fields.length > MAX_FIELDS) {
        fieldAt(place, isInList).count += 1;
        return;
      }
      for (const key of keys) {
        let next = place.inner.get(key);
        if (next === undefined) {
          next = { path: [...place.path, key], field: undefined, inner: new Map() };
          place.inner.set(key, next);
        }
        visit(next, (value as Readonly<Record<string, unknown>>)[key], isInList);
      }
    }
  };
  // Where not all can be looked at, these are from all over.
  const step = Math.max(1, Math.ceil((records.length * sizeOf(records[0])) / MAX_VALUES));
  let seen = 0;
  for (let at = 0; at < records.length && values < 2 * MAX_VALUES; at += step) {
    visit(root, records[at], false);
    seen += 1;
  }
  return { fields, seen, isEvery: seen === records.length };
}

/** Where values are in records. */
interface Place {
  readonly path: readonly string[];
  field: RecordField | undefined;
  readonly inner: Map<string, Place>;
}

function sizeOf(record: unknown): number {
  return isScalar(record) ? 1 : Math.max(1, Object.keys(record as object).length);
}

function newField(path: readonly string[]): RecordField {
  return {
    ...{ path, name: clip(toPrintableLine(nameOf(path)) || '""', NAME_CHARS) },
    ...{ count: 0, isList: false, choices: new Map(), values: 0, chars: 0, maxChars: 0 },
    ...{ range: undefined, isRange: true },
  };
}

function addValue(field: RecordField, value: Scalar): void {
  if (value === null || value === "") return;
  field.count += 1;
  field.values += 1;
  const text = value instanceof ExactNumber ? value.source : String(value);
  field.chars += text.length;
  field.maxChars = Math.max(field.maxChars, text.length);
  if (field.choices !== undefined) {
    field.choices.set(text, (field.choices.get(text) ?? 0) + 1);
    if (field.choices.size > MAX_CHOICES || text.length > CHOICE_CHARS) field.choices = undefined;
  }
  if (field.isRange) addToRange(field, value, text);
}

const DATE = /^\d{4}-\d\d-\d\d(?:$|[T ])/;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/;

function addToRange(field: RecordField, value: Scalar, text: string): void {
  const isNumber = typeof value === "number" || (typeof value === "string" && NUMBER.test(text));
  const kind = isNumber ? "number" : DATE.test(text) && text.length <= 35 ? "date" : undefined;
  const at = isNumber ? Number(value) : text;
  const { range } = field;
  if (kind === undefined || (range !== undefined && range.kind !== kind)) {
    field.isRange = false;
    field.range = undefined;
  } else if (range === undefined) field.range = { kind, min: at, max: at, first: text, last: text };
  else if (at < range.min) [range.min, range.first] = [at, text];
  else if (at > range.max) [range.max, range.last] = [at, text];
}

/** The names of the fields, with what is known of each where there is room; what has no room is counted. */
export function listFields({ fields, seen, isEvery }: RecordFields, room: number): string {
  const told = fields.map((field) => {
    const about = describeField(field, seen, isEvery);
    return about === "" ? field.name : `${field.name} (${about})`;
  });
  const whole = told.join(", ");
  if (whole.length <= room) return whole;
  const names = fields.map(({ name }) => name);
  // Names first: what is known of a field helps only a reader who has found it.
  let left = room - names.join(", ").length;
  for (const [at, { name }] of fields.entries()) {
    const more = (told[at] ?? "").length - name.length;
    if (more > left) continue;
    left -= more;
    names[at] = told[at] ?? name;
  }
  return left >= 0 ? names.join(", ") : firstOf(names, room);
}

/** As many as fit, and how many more there are. */
export function firstOf(names: readonly string[], room: number, total = names.length): string {
  const more = (shown: number): string =>
    shown < total ? `${shown > 0 ? ", " : ""}… ${formatCount(total - shown)} more` : "";
  let text = "";
  for (const [at, name] of names.entries()) {
    const next = text === "" ? name : `${text}, ${name}`;
    if (next.length + more(at + 1).length > room) return text + more(at);
    text = next;
  }
  return text + more(names.length);
}

function describeField(field: RecordField, seen: number, isEvery: boolean): string {
  const { choices, count, values, range, maxChars, isList } = field;
  const parts: string[] = [];
  const isRepeated = choices !== undefined && values > choices.size && choices.size > 0;
  if (isRepeated && (choices.size === 1 || values >= 2 * choices.size)) {
    const sorted = [...choices].sort(([, a], [, b]) => b - a);
    const [[first] = [""]] = sorted;
    const isOne = choices.size === 1 && isEvery && count === seen;
    // Counts of some of the records would be wrong for all.
    parts.push(
      isOne
        ? `always ${printed(first)}`
        : sorted.map(([value, n]) => printed(value) + (isEvery ? ` ×${n}` : "")).join(", "),
    );
  } else if (range !== undefined && values > 1) {
    const { first: min, last: max } = range;
    const isByDay = range.kind === "date" && min.slice(0, 10) !== max.slice(0, 10);
    parts.push(isByDay ? `${min.slice(0, 10)} … ${max.slice(0, 10)}` : `${min} … ${max}`);
  } else if (maxChars > LONG_CHARS) parts.push(`up to ${formatCount(maxChars)} chars`);
  if (isList) parts.push("list");
  if (isEvery && count < seen && !isList) parts.push(count === 0 ? "empty" : `in ${count}`);
  return parts.join("; ");
}

function printed(value: string): string {
  return toPrintableLine(value);
}

/** Records to be listed in rows. */
export interface RecordTable {
  readonly items: readonly unknown[];
  readonly keys: readonly string[] | undefined;
  readonly isAll: boolean;
  /** How many there are. */
  readonly of: string;
}

/** All of the records as rows, with all that they hold; empty if that does not fit, or if rows cannot hold it. */
export function listAllRows(table: RecordTable, known: RecordFields, room: number): string {
  const { fields } = known;
  if (!known.isEvery || fields.some(({ isList, path }) => isList || path.length === 0)) return "";
  const chars = fields.reduce((sum, field) => sum + field.chars, 0);
  if (chars > room || fields.some(({ maxChars }) => maxChars > CELL_CHARS)) return "";
  return render(table, [...fields].sort(byRank), room, true);
}

/** The first records as rows under the names of their short fields. */
export function listRows(table: RecordTable, known: RecordFields, room: number): string {
  const { fields, seen, isEvery } = known;
  let width = 0;
  const columns = fields
    .filter((field) => !field.isList && field.values > 0 && field.path.length <= 2)
    .filter(({ chars, values }) => chars / values <= CELL_CHARS)
    // What is the same in all was told with the fields.
    .filter(({ choices, count }) => !isEvery || choices?.size !== 1 || count < seen)
    .sort(byRank)
    .filter(({ chars, values }) => (width += Math.max(3, chars / values + 3)) <= MAX_ROW_CHARS);
  return columns.length === 0 ? "" : render(table, columns, room, false);
}

function render(
  { items, keys, isAll, of }: RecordTable,
  columns: readonly RecordField[],
  room: number,
  isWhole: boolean,
): string {
  const header = [...(keys ? ["key"] : []), ...columns.map(({ name }) => name)].join(" | ");
  const rows: string[] = [];
  let left = room - header.length - 32;
  for (const [at, item] of items.entries()) {
    const key = keys === undefined ? [] : [toCell(keys[at] ?? "")];
    const row = [...key, ...columns.map(({ path }) => toCell(valueAt(item, path)))].join(" | ");
    left -= row.length + 1;
    if (left < 0) break;
    rows.push(row);
  }
  const isComplete = isAll && rows.length === items.length;
  if (rows.length === 0 || (isWhole && !isComplete)) return "";
  const count = isComplete ? "All" : `First ${formatCount(rows.length)} of ${of}`;
  return [`${count}: ${header}`, ...rows].join("\n");
}

function byRank(a: RecordField, b: RecordField): number {
  return rankOf(a) - rankOf(b);
}

/** What names a record comes first, then what differs in many. */
function rankOf({ path, choices }: RecordField): number {
  const key = path.at(-1) ?? "";
  const isName = /^(?:id|key|name|title|path|slug|file|symbol|number|code)$|_id$|Id$/i.test(key);
  return (isName ? 0 : 1) + path.length + (choices === undefined ? 0 : 0.5);
}

function valueAt(record: unknown, path: readonly string[]): unknown {
  let value = record;
  for (const key of path) {
    if (isScalar(value) || !Object.hasOwn(value as object, key)) return "";
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

function toCell(value: unknown): string {
  if (!isScalar(value)) return "…";
  const text = value === null ? "" : value instanceof ExactNumber ? value.source : textOf(value);
  return clip(toPrintableLine(text.slice(0, 4 * CELL_CHARS)), CELL_CHARS);
}
