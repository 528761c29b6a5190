import { parsePointer } from "../json/json-pointer.js";
import { takeStart } from "../text/code-units.js";

/** A number of JSON that JavaScript would write differently, such as 1.50 or an id of 20 digits. */
export class ExactNumber {
  constructor(readonly source: string) {}
}

/** A value of a record that is neither a list nor has members. */
export type Scalar = string | number | boolean | null | ExactNumber;

/** Runs of digits that may not survive as they are written. */
const INEXACT = /\d{16}|\.\d*0(?!\d)|\d[eE]|-0(?![.\d])/;
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;
const MARK = "\u0000number ";

/** The value of a JSON text, with numbers as they are written. Throws what `JSON.parse` throws. */
export function parseExactly(text: string): unknown {
  if (!INEXACT.test(text)) return JSON.parse(text) as unknown;
  const marked = text.replace(STRING_OR_NUMBER, (part) =>
    part.startsWith('"') || String(Number(part)) === part ? part : JSON.stringify(MARK + part),
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === "string" && value.startsWith(MARK)
      ? new ExactNumber(value.slice(MARK.length))
      : value,
  ) as unknown;
}

export function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value !== "object" || value instanceof ExactNumber;
}

/** A scalar as text: strings as they are, everything else as JSON. */
export function textOf(value: Scalar): string {
  if (typeof value === "string") return value;
  return value instanceof ExactNumber ? value.source : String(value);
}

/** A field as it was asked for, and the paths it may mean, the most likely first. */
export interface Field {
  readonly name: string;
  readonly paths: readonly (readonly string[])[];
}

/** A field is a key, a pointer that begins with a slash, or keys joined by dots; `.` is the record itself. */
export function parseField(name: string, argument: string): Field {
  if (name === "." || name === "$") return { name, paths: [[]] };
  if (name.startsWith("/")) return { name, paths: [parsePointer(name, argument)] };
  const isPath = /[.[]/.test(name);
  return { name, paths: isPath ? [[name], parsePointer(name, argument)] : [[name]] };
}

/** What a record has at a path. A step that is no index goes through every item of a list. */
export function valuesAt(record: unknown, path: readonly string[]): unknown[] {
  let found: unknown[] = [record];
  for (const step of path) {
    found = found.flatMap((value) => stepInto(value, step));
    if (found.length === 0) break;
  }
  return found;
}

function stepInto(value: unknown, step: string): unknown[] {
  if (isScalar(value)) return [];
  if (Array.isArray(value)) {
    if (/^\d+$/.test(step)) return Number(step) < value.length ? [value[Number(step)]] : [];
    return value.flatMap((item) => (Array.isArray(item) ? [] : stepInto(item, step)));
  }
  const members = value as Readonly<Record<string, unknown>>;
  return Object.hasOwn(members, step) ? [members[step]] : [];
}

/** What a record has in a field. */
export function valuesOf(record: unknown, { paths }: Field): unknown[] {
  for (const path of paths) {
    const found = valuesAt(record, path);
    if (found.length > 0) return found;
  }
  return [];
}

/** A scalar in a record, and where it is. */
export interface Leaf {
  readonly path: readonly string[];
  readonly value: Scalar;
}

const MAX_LEAVES = 2_000;

/** The scalars of a record: its own first, then those of the objects in it; `inLists` for those of lists, too. */
export function leavesOf(record: unknown, inLists = false): Leaf[] {
  const leaves: Leaf[] = [];
  let level: { path: readonly string[]; value: unknown }[] = [{ path: [], value: record }];
  while (level.length > 0 && leaves.length < MAX_LEAVES) {
    const next: typeof level = [];
    for (const { path, value } of level) {
      if (isScalar(value)) leaves.push({ path, value });
      else if (!Array.isArray(value) || inLists) {
        for (const [key, inner] of Object.entries(value as object)) {
          next.push({ path: [...path, key], value: inner });
        }
      }
    }
    level = next;
  }
  return leaves;
}

/** A path as a reader writes it: keys joined by dots, or a pointer where that would be misread. */
export function nameOf(path: readonly string[]): string {
  const isPlain = path.every((step) => /^[^.[\]'"/~,=<>!;]+$/.test(step));
  if (isPlain) return path.join(".");
  return path.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** What a record is shown with. */
export interface RecordLook {
  /** About how long the line may be. */
  readonly maxChars: number;
  /** Whether a field is to be shown before all others. */
  readonly isWanted?: (leaf: Leaf) => boolean;
  /** Whether room that is left goes to the start of a text that is too long. */
  readonly showsStarts?: boolean;
  /** The part of a long value to show. */
  readonly cut?: (text: string, maxChars: number) => string;
}

/** Up to this length a value tells something at a glance. */
const GLANCE_CHARS = 80;
const WANTED_CHARS = 240;

/** A shorter start tells nothing. */
const MIN_START_CHARS = 60;
const LENGTH_NOTE_CHARS = 24;
/** So many fields that are not shown are named, more are counted. */
const NAMED_FIELDS = 3;

/**
 * A record on one line: the wanted fields, then the short ones, its own before those of objects in it.
 * What is not shown is named or counted.
 */
export function renderRecord(record: unknown, look: RecordLook): string {
  const { maxChars, isWanted = () => false, showsStarts = false, cut = takeStart } = look;
  if (isScalar(record)) return renderScalar(record, WANTED_CHARS, cut);
  if (Array.isArray(record) && record.every(isScalar)) {
    const items = `[${record.map((value) => renderScalar(value, GLANCE_CHARS, cut)).join(", ")}]`;
    return items.length <= maxChars
      ? items
      : `${takeStart(items, maxChars)}… (${record.length} items)`;
  }
  const leaves = leavesOf(record);
  const names = leaves.map(({ path }) => nameOf(path));
  const isShort = ({ value }: Leaf) => textOf(value).length <= GLANCE_CHARS && !isAddress(value);
  const wanted = leavesOf(record, true).filter(isWanted);
  const parts = new Map<string, string>();
  let room = maxChars;
  const add = (leaf: Leaf, most: number, isForced = false): void => {
    const name = nameOf(leaf.path);
    if (parts.has(name)) return;
    const text = `${name}: ${renderScalar(leaf.value, most, cut)}`;
    if (text.length + 2 > room && !isForced) return;
    room -= text.length + 2;
    parts.set(name, text);
  };
  // What was asked for comes first, at least once; where else it occurs, as in addresses, tells no more.
  const [first, ...others] = [...wanted.filter(isShort), ...wanted];
  if (first !== undefined) add(first, WANTED_CHARS, true);
  for (const leaf of others.filter(isShort)) add(leaf, GLANCE_CHARS);
  for (const leaf of leaves.filter(isShort)) add(leaf, GLANCE_CHARS);
  for (const leaf of [...wanted, ...leaves]) {
    const text = textOf(leaf.value);
    const start = room - nameOf(leaf.path).length - LENGTH_NOTE_CHARS;
    if (text.length < room) add(leaf, room);
    else if (showsStarts && start >= MIN_START_CHARS && !isAddress(leaf.value)) {
      // Line breaks and quotes take two characters.
      add(leaf, Math.floor((start * start) / JSON.stringify(text.slice(0, start)).length));
    }
  }
  const all = new Set([...names, ...wanted.map(({ path }) => nameOf(path))]);
  const unseen = [...all].filter((name) => !parts.has(name));
  const lists = countLists(record);
  const isNamed = lists === 0 && unseen.length <= NAMED_FIELDS;
  const left = isNamed ? unseen.join(", ") : `${unseen.length + lists} more`;
  const shown = [...parts]
    .sort(([a], [b]) => order(names.indexOf(a)) - order(names.indexOf(b)))
    .map(([, text]) => text);
  return `{${[...shown, ...(left === "" ? [] : [`… ${left}`])].join(", ")}}`;
}

/** What is in a list has no place among the leaves. */
function order(at: number): number {
  return at === -1 ? Infinity : at;
}

/** Addresses are long and rarely what is asked for. */
export function isAddress(value: Scalar): boolean {
  return typeof value === "string" && /^(?:https?|data):/.test(value);
}

/** Lists that are not empty, in a record or in the objects in it. */
function countLists(record: unknown): number {
  if (isScalar(record)) return 0;
  if (Array.isArray(record)) return record.length > 0 ? 1 : 0;
  return Object.values(record as object).reduce<number>((sum, value) => sum + countLists(value), 0);
}

function renderScalar(value: Scalar, maxChars: number, cut: (text: string, max: number) => string) {
  if (typeof value !== "string") return textOf(value);
  if (value.length <= maxChars) return JSON.stringify(value);
  return `${JSON.stringify(cut(value, maxChars))}… (${value.length} chars)`;
}
