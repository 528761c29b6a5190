import { isScalar, nameOf, textOf, type Scalar } from "../records/record-value.js";
import { clip, formatCount, toPrintableLine } from "../text/printable.js";

/** How many values are looked at; of more records, some are. */
const MAX_VALUES = 3_000;
const MAX_FIELDS = 400;
const MAX_DEPTH = 4;
/** So many items of a list in a record tell what it holds. */
const LIST_ITEMS = 3;
/** A field with so few values that are this short is told with them. */
const MAX_CHOICES = 6;
const CHOICE_CHARS = 24;
const NAME_CHARS = 60;
const CELL_CHARS = 64;
const MAX_ROW_CHARS = 160;
/** A number that reads the same when it was parsed. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{0,8}[1-9])?$/;
/** What names a record. */
const NAME = /^(?:id|key|name|title|path|slug|file|symbol|number|code)$|_id$|Id$/i;

/** One field of records, and what they have in it. */
export class Field {
  readonly name: string;
  readonly inner = new Map<string, Field>();
  /** Each value with how often it occurs, if these are few and short. */
  choices: Map<string, number> | undefined = new Map();
  /** The least and the greatest, if all are numbers. */
  min = Infinity;
  max = -Infinity;
  isRange = true;
  /** How many records have it with a value. */
  count = 0;
  chars = 0;
  maxChars = 0;
  isUsed = false;
  isList = false;

  constructor(readonly path: readonly string[]) {
    this.name = clip(toPrintableLine(nameOf(path)) || '""', NAME_CHARS);
  }

  add(value: Scalar): void {
    if (value === null || value === "") return;
    const text = textOf(value);
    this.count += 1;
    this.chars += text.length;
    if (text.length > this.maxChars) this.maxChars = text.length;
    if (this.isRange) {
      const number = typeof value === "number" ? value : NUMBER.test(text) ? Number(text) : NaN;
      this.isRange = !Number.isNaN(number);
      if (number < this.min) this.min = number;
      if (number > this.max) this.max = number;
    }
    if (this.choices === undefined) return;
    this.choices.set(text, (this.choices.get(text) ?? 0) + 1);
    if (this.choices.size > MAX_CHOICES || text.length > CHOICE_CHARS) this.choices = undefined;
  }

  /** Its name with its values; counts of some of the records would be wrong for all. */
  describe({ seen, isEvery }: RecordFields): string {
    const { choices, count, min, max } = this;
    if (count < 2) return this.name;
    if (choices === undefined || (choices.size > 1 && count < 2 * choices.size)) {
      return this.isRange ? `${this.name} (${min} … ${max})` : this.name;
    }
    const isSame = choices.size === 1 && isEvery && count === seen;
    const told = [...choices]
      .sort(([, one], [, other]) => other - one)
      .map(([value, n]) => toPrintableLine(value) + (isEvery && !isSame ? ` ×${n}` : ""));
    return `${this.name} (${isSame ? "always " : ""}${told.join(", ")})`;
  }
}

export interface RecordFields {
  readonly fields: readonly Field[];
  /** How many records were looked at. */
  readonly seen: number;
  readonly isEvery: boolean;
  /** Whether these are all that there are. */
  readonly isAll: boolean;
}

/** The fields of records: those of objects in them, too, by the names that a query takes. */
export function readFields(records: readonly unknown[], isAll: boolean): RecordFields {
  const fields: Field[] = [];
  let looked = 0;
  const visit = (field: Field, value: unknown, isInList: boolean): void => {
    const items = Array.isArray(value) ? (value.slice(0, LIST_ITEMS) as unknown[]) : undefined;
    const isOpaque = field.path.length === MAX_DEPTH || fields.length > MAX_FIELDS;
    if (items?.some((item) => !isScalar(item) && !Array.isArray(item)) === true) {
      for (const item of items) visit(field, item, true);
    } else if (isScalar(value) || items || isOpaque || Object.keys(value as object).length === 0) {
      looked += 1;
      if (!field.isUsed) fields.push(field);
      field.isUsed = true;
      field.isList ||= isInList || !isScalar(value);
      if (isScalar(value)) field.add(value);
    } else {
      const members = value as Readonly<Record<string, unknown>>;
      for (const key of Object.keys(members)) {
        let inner = field.inner.get(key);
        if (!inner) field.inner.set(key, (inner = new Field([...field.path, key])));
        visit(inner, members[key], isInList);
      }
    }
  };
  // Where not all can be looked at, these are from all over.
  const root = new Field([]);
  visit(root, records[0], false);
  const step = Math.max(1, Math.ceil((records.length * looked) / MAX_VALUES));
  let seen = 1;
  for (let at = step; at < records.length && looked < 2 * MAX_VALUES; at += step, seen += 1) {
    visit(root, records[at], false);
  }
  return { fields, seen, isAll, isEvery: isAll && seen === records.length };
}

/** The names of the fields, with what is known of each where there is room; what has no room is counted. */
export function listFields(known: RecordFields, room: number): string {
  const names = known.fields.map(({ name }) => name);
  // Names first: what is known of a field helps only a reader who has found it.
  let left = room - names.join(", ").length;
  if (left < 0) return firstOf(names, room);
  for (const [at, field] of known.fields.entries()) {
    const told = field.describe(known);
    if (told.length - field.name.length > left) continue;
    left -= told.length - field.name.length;
    names[at] = told;
  }
  return names.join(", ");
}

/** As many as fit, and how many more there are. */
export function firstOf(names: readonly string[], room: number): string {
  const more = (shown: number): string => `… ${formatCount(names.length - shown)} more`;
  const shown: string[] = [];
  let left = room;
  for (const [at, name] of names.entries()) {
    const isLast = at + 1 === names.length;
    left -= name.length + 2;
    if (left + 2 < (isLast ? 0 : more(at + 1).length + 2)) return [...shown, more(at)].join(", ");
    shown.push(name);
  }
  return shown.join(", ");
}

/**
 * The first records as rows under the names of their short fields; with `isWhole`, all of them with all
 * that they hold. Empty if that does not fit, or if rows cannot hold it.
 */
export function listRows(
  items: readonly unknown[],
  { fields, seen, isEvery, isAll }: RecordFields,
  room: number,
  isWhole = false,
): string {
  const chars = fields.reduce((sum, field) => sum + field.chars, 0);
  const isCell = ({ isList, path, maxChars }: Field): boolean =>
    !isList && path.length > 0 && maxChars <= CELL_CHARS;
  if (isWhole && !(isEvery && chars <= room && fields.every(isCell))) return "";
  const rankOf = ({ path }: Field): number => path.length + (NAME.test(path.at(-1) ?? "") ? 0 : 1);
  let width = 0;
  const columns = [...fields]
    .sort((one, other) => rankOf(one) - rankOf(other))
    .filter(({ isList, path, chars, count, choices }) => {
      if (isWhole) return true;
      // What is the same in all was told with the fields.
      const isTold = isList || count === 0 || (isEvery && choices?.size === 1 && count === seen);
      if (isTold || path.length > 2 || chars > CELL_CHARS * count) return false;
      return (width += Math.max(3, chars / count + 3)) <= MAX_ROW_CHARS;
    });
  const header = columns.map(({ name }) => name).join(" | ");
  const rows: string[] = [];
  let left = room - header.length - 32;
  for (const item of columns.length === 0 ? [] : items) {
    const row = columns.map(({ path }) => toCell(path.reduce(memberOf, item))).join(" | ");
    left -= row.length + 1;
    if (left < 0) break;
    rows.push(row);
  }
  const isComplete = isAll && rows.length === items.length;
  if (rows.length === 0 || (isWhole && !isComplete)) return "";
  const of = `${isAll ? "" : "at least "}${formatCount(items.length)}`;
  const count = isComplete ? "All" : `First ${formatCount(rows.length)} of ${of}`;
  return [`${count}: ${header}`, ...rows].join("\n");
}

function memberOf(value: unknown, key: string): unknown {
  if (isScalar(value) || !Object.hasOwn(value as object, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

function toCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = isScalar(value) ? textOf(value) : "…";
  return clip(toPrintableLine(text.slice(0, 4 * CELL_CHARS)), CELL_CHARS);
}
