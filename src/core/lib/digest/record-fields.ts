import { isScalar, nameOf, textOf, type Scalar } from "../records/record-value.js";
import { clip, formatCount } from "../text/printable.js";

/** How many values are looked at; of more records, some are. */
const MAX_VALUES = 3_000;
const MAX_DEPTH = 4;
/** So many items of a list in a record tell what it holds. */
const LIST_ITEMS = 3;
/** A field with so few values that are this short is told with them. */
const MAX_CHOICES = 6;
const CHOICE_CHARS = 24;
const NAME_CHARS = 60;
const CELL_CHARS = 64;
const MAX_ROW_CHARS = 160;
/** So many values tell how wide a column is. */
const WIDTH_VALUES = 50;
/** A number that reads the same when it was parsed. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{0,8}[1-9])?$/;
/** What names a record. */
const NAME = /^(?:id|key|name|title|path|slug|file|symbol|number|code)$|_id$|Id$/i;

/** A field of records, and what they have in it, without what is empty. */
export interface Field {
  readonly path: readonly string[];
  readonly values: readonly Scalar[];
  /** Whether there are lists in it or around it. */
  readonly isList?: boolean;
}

export interface RecordFields {
  readonly fields: readonly Field[];
  /** How many records were looked at, and whether there are no others. */
  readonly seen: number;
  readonly isEvery: boolean;
}

/** Whether a value has members by name. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return !isScalar(value) && !Array.isArray(value);
}

/** The fields of records: those of objects in them, too, by the names that a query takes. */
export function readFields(records: readonly object[], isAll: boolean): RecordFields {
  const perRecord = fieldsOf(records.slice(0, 1)).length;
  const step = Math.ceil((records.length * perRecord) / MAX_VALUES);
  // Where not all can be looked at, these are from all over.
  const some = step > 1 ? records.filter((_, at) => at % step === 0) : records;
  return { fields: fieldsOf(some), seen: some.length, isEvery: isAll && step <= 1 };
}

function fieldsOf(
  all: readonly unknown[],
  path: readonly string[] = [],
  isInList = false,
): Field[] {
  const values: Scalar[] = [];
  const members = new Map<string, unknown[]>();
  let isList = isInList;
  const add = (item: unknown): void => {
    if (path.length === MAX_DEPTH || !isRecord(item)) return;
    for (const key of Object.keys(item)) {
      const others = members.get(key);
      if (others) others.push(item[key]);
      else members.set(key, [item[key]]);
    }
  };
  for (const value of all) {
    if (Array.isArray(value)) {
      isList = true;
      value.slice(0, LIST_ITEMS).forEach(add);
    } else if (!isScalar(value)) add(value);
    else if (value !== null && value !== "") values.push(value);
  }
  const own = values.length > 0 || members.size === 0 ? [{ path, values, isList }] : [];
  return [...own, ...[...members].flatMap(([key, of]) => fieldsOf(of, [...path, key], isList))];
}

/** The names of the fields, with what is known of each where there is room; what has no room is counted. */
export function listFields(known: RecordFields, room: number): string {
  const names = known.fields.map(nameField);
  // Names first: what is known of a field helps only a reader who has found it.
  let left = room - names.join(", ").length;
  if (left < 0) return firstOf(names, room);
  const told = known.fields.map((field, at) => {
    const values = describe(field, known);
    const shown = values.length <= left ? values : "";
    left -= shown.length;
    return `${names[at] ?? ""}${shown}`;
  });
  return told.join(", ");
}

function nameField({ path }: Field): string {
  return toLine(nameOf(path), NAME_CHARS);
}

/** The values of a field if these are few or numbers; counts of some of the records would be wrong for all. */
function describe({ values }: Field, { seen, isEvery }: RecordFields): string {
  const counts = new Map<string, number>();
  let isFew = values.length > 1;
  for (const value of isFew ? values : []) {
    const text = textOf(value);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    isFew = counts.size <= MAX_CHOICES && text.length <= CHOICE_CHARS;
    if (!isFew) break;
  }
  if (isFew && (counts.size === 1 || values.length >= 2 * counts.size)) {
    const isSame = counts.size === 1 && isEvery && values.length === seen;
    const told = [...counts].sort(([, one], [, other]) => other - one);
    const texts = told.map(([text, count]) => (isEvery && !isSame ? `${text} ×${count}` : text));
    return ` (${isSame ? "always " : ""}${toLine(texts.join(", "), Infinity)})`;
  }
  const isNumber = (value: Scalar): boolean =>
    typeof value === "number" || NUMBER.test(textOf(value));
  if (values.length < 2 || !values.every(isNumber)) return "";
  const numbers = values.map(Number);
  const min = numbers.reduce((one, other) => Math.min(one, other));
  const max = numbers.reduce((one, other) => Math.max(one, other));
  return ` (${min} … ${max})`;
}

/** As many as fit, and how many more there are. */
export function firstOf(names: readonly string[], room: number): string {
  const all = names.join(", ");
  let left = room - `… ${formatCount(names.length)} more`.length;
  const end = names.findIndex((name) => (left -= name.length + 2) < 0);
  if (all.length <= room) return all;
  return [...names.slice(0, end), `… ${formatCount(names.length - end)} more`].join(", ");
}

/** The first records as rows under the names of their short fields, what names a record first; empty if none fits. */
export function listRows(
  items: readonly object[],
  fields: readonly Field[],
  room: number,
  total: string,
): string {
  const rankOf = ({ path }: Field): number => path.length + (NAME.test(path.at(-1) ?? "") ? 0 : 1);
  let width = Math.max(MAX_ROW_CHARS, room / items.length);
  const columns = fields
    .filter(({ path, values, isList }) => !isList && path.length <= 2 && values.length > 0)
    // A short value that is the only one was told with the fields.
    .filter(({ values: [first = "", ...others] }) => {
      return textOf(first).length > CHOICE_CHARS || others.some((value) => value !== first);
    })
    .sort((one, other) => rankOf(one) - rankOf(other))
    .filter(({ values }) => {
      const some = values.slice(0, WIDTH_VALUES);
      const chars = some.reduce<number>((sum, one) => sum + textOf(one).length, 0) / some.length;
      return chars <= CELL_CHARS && (width -= Math.max(3, chars + 3)) >= 0;
    });
  const rows = [columns.map(nameField).join(" | ")];
  let left = room - 32 - (rows[0] ?? "").length;
  for (const item of items) {
    const row = columns.map(({ path }) => toCell(path.reduce(memberOf, item))).join(" | ");
    if (columns.length === 0 || (left -= row.length + 1) < 0) break;
    rows.push(row);
  }
  const shown = rows.length - 1;
  const count = formatCount(shown) === total ? "All" : `First ${formatCount(shown)} of ${total}`;
  return shown === 0 ? "" : `${count}: ${rows.join("\n")}`;
}

function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function toCell(value: unknown = ""): string {
  return isScalar(value) ? toLine(value === null ? "" : textOf(value), CELL_CHARS) : "…";
}

/** On one line. What else is not printable is left out of the whole digest. */
export function toLine(text: string, most: number): string {
  return clip(text.slice(0, most * 2).replace(/[\r\n\t]+/g, " "), most);
}
