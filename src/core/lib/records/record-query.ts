import { formatPointer } from "../json/json-pointer.js";
import { parseJson } from "../json/plain-json.js";
import { nearestNames } from "../text/nearest-names.js";
import { quote } from "../text/quote.js";
import { ArgumentError } from "../text/text-range.js";
import type { PlacedRecord } from "./json-records.js";
import {
  ExactNumber,
  isScalar,
  leavesOf,
  nameOf,
  parseField,
  renderRecord,
  textOf,
  valuesAt,
  valuesOf,
  type Field,
  type Scalar,
} from "./record-value.js";

const COMPARISONS = ["=", "!=", "<", "<=", ">", ">=", "~", "!~"] as const;
/** `~` is "contains", ignoring case unless the value has a capital letter; `!~` is its opposite. */
export type Comparison = (typeof COMPARISONS)[number];

/** What a record must be like. */
export interface QueryCondition {
  /** A key, keys joined by dots, or a JSON pointer into the record. */
  readonly field: string;
  readonly is: Comparison;
  /** The value to compare with; a pointer such as `/period` stands for that field of the same record, if there is one. */
  readonly value: string | number | boolean | null;
  /** Further conditions, one of which is enough. */
  readonly or?: readonly QueryCondition[] | undefined;
}

/** Which records to choose, and what to say about them. */
export interface RecordQuery {
  readonly where: readonly QueryCondition[];
  /** Only how many. */
  readonly count?: boolean | undefined;
  /** Only the different values of this field, with how often each occurs. */
  readonly distinct?: string | undefined;
  readonly sum?: string | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  /** The field to sort by; with a minus in front, largest first. */
  readonly sort?: string | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  /** How many of the chosen records to skip. */
  readonly offset: number;
  /** Maximum length of the text. */
  readonly maxChars: number;
}

/** What a text in the query language asks for. */
export interface ParsedQuery extends Partial<Omit<RecordQuery, "where" | "maxChars" | "offset">> {
  readonly offset?: number | undefined;
  readonly pointer?: string | undefined;
  readonly where: readonly QueryCondition[];
}

const EXPECTED =
  'a pointer such as "/items/0", or conditions and words separated by commas, such as ' +
  '"status=failed or code>=500, name~foo", with ' +
  "count, count by f, sum f, avg f, min f, max f, sort f, sort -f, fields a b, limit n or skip n; a value " +
  "with a comma in it is quoted";

const OPERATOR = /!=|<>|<=|>=|==|=~|!~|[=<>~]|(?<=\s)(?:not contains|contains)(?=\s)/i;
/** What makes a field of a pointer before it, rather than the place of the records. */
const NEXT_OPERATOR = /^\s*(?:[!<>=~]|(?:not\s+)?contains\s)/i;
const SPELLINGS: Readonly<Record<string, Comparison>> = {
  ...{ "<>": "!=", "==": "=", "=~": "~", contains: "~", "not contains": "!~" },
  ...{ $eq: "=", $ne: "!=", $lt: "<", $lte: "<=", $gt: ">", $gte: ">=", $regex: "~" },
  ...{ eq: "=", ne: "!=", lt: "<", lte: "<=", gt: ">", gte: ">=" },
};
/** A word, and what it is about: after a blank, or in parentheses. */
const WORD =
  /^(count by|group by|order by|sort by|distinct|sum|avg|mean|average|min|max|sort|fields|select|limit|skip|offset)(?=[\s(])([^]*)$/i;
/** Words that may follow a value without a comma, at the end of a clause; a value that ends so is quoted. */
const LAST_WORDS =
  /\s(?:count|(?:limit|skip)\s+\d+|(?:sort|order by|sort by)\s+-?[\w./]+(?:\s+(?:asc|desc))?|(?:distinct|sum|avg|mean|average|min|max)\s+[\w./]+)$/i;

/**
 * Reads the query language: `status=failed, price>100, sort -price, limit 5`, with a pointer to the
 * records in front if they are not the only ones: `/items price>100`. Conditions may also be JSON:
 * `{"status": "failed", "price": {">": 100}}`, or a list of `{field, is, value}`.
 */
export function parseRecordQuery(text: string): ParsedQuery {
  const given = text.trim();
  if (/^[[{]/.test(given)) {
    const conditions = fromJsonText(given);
    if (conditions !== undefined) return { where: conditions };
  }
  const parsed: { -readonly [K in keyof ParsedQuery]: ParsedQuery[K] } & {
    where: QueryCondition[];
  } = { where: [] };
  let isListing = false;
  for (const [index, clause] of splitClauses(given).entries()) {
    const asked = index === 0 ? takePointer(clause, parsed) : clause;
    // `count price>5` is what models write for `price>5, count`.
    const rest = asked.replace(/^count\s(?=[^=<>~]*[=<>~])/i, "").trim();
    if (rest === "") continue;
    const conditions = parseConditions(rest, given);
    if (rest !== asked && conditions.length > 0) parsed.count = true;
    if (conditions.length > 0) {
      parsed.where.push(...conditions);
      isListing = false;
      continue;
    }
    const bare = unquoteText(rest);
    if (/^count$/i.test(rest)) parsed.count = true;
    else if (!takeWord(rest, parsed)) {
      if (!isListing) throw new ArgumentError("where", text, EXPECTED);
      parsed.fields = [...(parsed.fields ?? []), bare];
      continue;
    }
    isListing = /^(?:fields|select)\b/i.test(rest);
  }
  return parsed;
}

type Draft = { -readonly [K in keyof ParsedQuery]: ParsedQuery[K] };

/** A pointer at the beginning says where the records are; returns what follows it. */
function takePointer(clause: string, parsed: Draft): string {
  let text = clause.replace(/^where\s+/i, "");
  if (/^count\s+[/$#]/i.test(text)) {
    parsed.count = true;
    text = text.slice("count".length).trimStart();
  }
  // A word alone may as well be a misspelled one of the language.
  const path = /[.[]/.test(text) ? pathPointer(text) : undefined;
  if (path !== undefined) {
    parsed.pointer = path;
    return "";
  }
  if (!/^(?:[/$#]|\.[\w[])/.test(text)) return text;
  const [first = ""] = /^\S+/.exec(text) ?? [];
  if (OPERATOR.test(first) || NEXT_OPERATOR.test(text.slice(first.length))) return text;
  const rest = text.slice(first.length).trim();
  // A key may have blanks in it: without a condition or a word, all of it is the pointer.
  const isAll =
    parseConditions(rest, rest).length === 0 && !/^count$/i.test(rest) && !readWord(rest);
  parsed.pointer = pathPointer(first) ?? (isAll ? text : first);
  return isAll ? "" : rest.replace(/^where\s+/i, "");
}

/** A path as jq and programs write it: `.items[0].name`, `items[].name`. */
const PATH = /^\.?(?:[\w$-]+|\[\d*\])(?:\.[\w$-]+|\.?\[(?:\d*|"[^"]*"|'[^']*')\])*$/;

function pathPointer(text: string): string | undefined {
  if (!PATH.test(text) || text.startsWith("$")) return undefined;
  const steps = text.match(/[\w$-]+|\[(?:\d*|"[^"]*"|'[^']*')\]/g) ?? [];
  const keyOf = (step: string): string => step.replace(/^\[["']?|["']?\]$/g, "");
  return formatPointer(steps.map((step) => (step === "[]" ? "*" : keyOf(step))));
}

function readWord(clause: string): { readonly word: string; readonly rest: string } | undefined {
  const [, word = "", after = ""] = WORD.exec(clause) ?? [];
  const about = after.trim();
  const isCall = about.startsWith("(") && about.endsWith(")");
  if (about.startsWith("(") && !isCall && after === about) return undefined;
  const rest = isCall ? about.slice(1, -1) : about;
  return rest === "" ? undefined : { word, rest };
}

function takeWord(clause: string, parsed: Draft): boolean {
  const { word = "", rest = "" } = readWord(clause) ?? {};
  const value = unquoteText(rest.trim());
  const isCount = /^\d{1,9}$/.test(value);
  switch (word.toLowerCase()) {
    case "distinct":
    case "count by":
    case "group by":
      parsed.distinct = value;
      return true;
    case "avg":
    case "mean":
    case "average":
      parsed.sum = value;
      return true;
    case "sum":
    case "min":
    case "max":
      parsed[word.toLowerCase() as "sum" | "min" | "max"] = value;
      return true;
    case "sort":
    case "sort by":
    case "order by":
      parsed.sort = parseSort(value);
      return true;
    case "fields":
    case "select":
      parsed.fields = (rest.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []).map(unquoteText);
      return true;
    case "limit":
      if (isCount) parsed.limit = Number(value);
      return isCount;
    case "skip":
    case "offset":
      if (isCount) parsed.offset = Number(value);
      return isCount;
    default:
      return false;
  }
}

function parseSort(text: string): string {
  const found = /\s(asc|desc)(?:ending)?$/i.exec(text);
  const field = text.slice(0, found?.index).trim();
  return found?.[1]?.toLowerCase() === "desc" ? `-${field}` : field;
}

/** The conditions of a clause: one, one of several, or a value that is in a list. */
function parseConditions(clause: string, query: string): QueryCondition[] {
  const found = /\s(not\s+)?in\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/i.exec(clause);
  const field = clause.slice(0, found?.index).trim();
  if (found && field !== "") {
    const [, not, list] = found;
    const operator = not === undefined ? "=" : "!=";
    const all = splitClauses(list ?? "").flatMap(
      (value) => parseCondition(`${field}${operator}${value}`) ?? [],
    );
    return not === undefined ? oneOf(all) : all;
  }
  const inner = /^\(([^()]*)\)$/s.exec(clause)?.[1];
  const parts = splitAt(inner ?? clause, OR).map(parseCondition);
  const isChoice = parts.length > 1 && parts.every((part) => part !== undefined);
  if (isChoice && inner === undefined && splitAt(query, AND).length > 1) {
    const expected = "conditions with parentheses around those joined by or: (a=1 or b=2) and c=3";
    throw new ArgumentError("where", query, expected);
  }
  return isChoice ? oneOf(parts) : oneOf([parseCondition(inner ?? clause)]);
}

function oneOf(conditions: readonly (QueryCondition | undefined)[]): QueryCondition[] {
  const [first, ...or] = conditions.filter((one) => one !== undefined);
  if (first === undefined) return [];
  return [or.length === 0 ? first : { ...first, or }];
}

const QUOTED = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|'[^']*'(?=\s*(?:[,;)]|$|and\b|or\b|&&|\|\|))/.source;
const AND = /(?<=\s)and(?=\s)|&&/;
const OR = /(?<=\s)or(?=\s)|\|\|/;

/** Splits a text at what is not in quotes. */
function splitAt(text: string, separator: RegExp): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(new RegExp(`${QUOTED}|${separator.source}`, "gi"))) {
    if (/^["']/.test(match[0]) || /^in\s*\(/i.test(match[0])) continue;
    parts.push(text.slice(from, match.index).trim());
    from = match.index + match[0].length;
  }
  parts.push(text.slice(from).trim());
  return parts;
}

function parseCondition(clause: string): QueryCondition | undefined {
  const match = OPERATOR.exec(clause);
  if (match === null || match.index === 0) return undefined;
  const operator = match[0].toLowerCase();
  const is = SPELLINGS[operator] ?? (operator as Comparison);
  const field = unquoteText(clause.slice(0, match.index).trim());
  const value = clause.slice(match.index + match[0].length).trim();
  return { field, is, value: /^(?:null|none)$/i.test(value) ? null : unquoteText(value) };
}

/** Clauses end at commas, semicolons, line breaks, `and` and `&&` that are not in quotes or in a list. */
function splitClauses(text: string): string[] {
  return splitAt(
    text,
    new RegExp(`\\bin\\s*\\([^()]*(?:\\([^()]*\\)[^()]*)*\\)|${AND.source}|[,;\\n]`),
  )
    .flatMap(splitLastWords)
    .filter((clause) => clause !== "");
}

function splitLastWords(clause: string): string[] {
  const words: string[] = [];
  let rest = clause;
  for (;;) {
    const found = LAST_WORDS.exec(rest);
    const before = rest.slice(0, found?.index).trimEnd();
    // What is in quotes is a value, and what has nothing to follow is a clause by itself.
    const isOpen =
      (before.match(/(?<!\\)"/g)?.length ?? 0) % 2 === 1 || /[=<>~]\s*'[^']*$/.test(before);
    if (!found || isOpen || parseConditions(before, before).length === 0) return [rest, ...words];
    words.unshift(found[0].trim());
    rest = before;
  }
}

function unquoteText(text: string): string {
  if (/^".*"$/s.test(text)) {
    try {
      return String(JSON.parse(text));
    } catch {
      return text.slice(1, -1);
    }
  }
  return /^'.*'$/s.test(text) ? text.slice(1, -1) : text;
}

function fromJsonText(text: string): QueryCondition[] | undefined {
  const given = parseJson(text);
  return given === undefined ? undefined : toConditions(given);
}

/** A query in the language that `parseRecordQuery` reads. */
export function formatRecordQuery(query: Omit<ParsedQuery, "pointer">): string {
  const { where, count, fields, limit, offset } = query;
  const words = (["distinct", "sum", "min", "max", "sort"] as const).flatMap((word) => {
    const field = query[word];
    return field === undefined ? [] : [`${word} ${field}`];
  });
  return [
    ...where.map((condition) => {
      const all = alternativesOf(condition).map(
        ({ field, is, value }) => `${quoteName(field)}${is}${quoteValue(value)}`,
      );
      return all.join(" or ");
    }),
    ...(count ? ["count"] : []),
    ...words,
    ...(fields ? [`fields ${fields.map(quoteName).join(" ")}`] : []),
    ...(limit === undefined ? [] : [`limit ${limit}`]),
    ...(offset === undefined || offset === 0 ? [] : [`skip ${offset}`]),
  ].join(", ");
}

function alternativesOf(condition: QueryCondition): readonly QueryCondition[] {
  return [condition, ...(condition.or ?? [])];
}

function quoteName(name: string): string {
  return /^[\w./-]+$/.test(name) ? name : JSON.stringify(name);
}

function quoteValue(value: QueryCondition["value"]): string {
  if (typeof value !== "string") return String(value);
  return /^[\w./:@%+-]*$/.test(value) && !/^(?:null|none)$/i.test(value)
    ? value
    : JSON.stringify(value);
}

/** Conditions from what a caller passes: a list of them, or an object of fields with values. */
export function toConditions(given: unknown): QueryCondition[] {
  if (Array.isArray(given)) return given.flatMap((item) => fromListItem(item));
  if (typeof given !== "object" || given === null) throw wrongCondition(given);
  return Object.entries(given).flatMap(([field, value]) => {
    if (isComparable(value)) return [{ field, is: "=" as const, value }];
    if (typeof value !== "object") throw wrongCondition(given);
    return Object.entries(value as object).map(([operator, operand]) =>
      toCondition(field, operator, operand),
    );
  });
}

function fromListItem(item: unknown): QueryCondition[] {
  if (typeof item === "string") return [...parseRecordQuery(item).where];
  const { field, is, op, operator, value } = (item ?? {}) as Record<string, unknown>;
  if (typeof field !== "string") return toConditions(item);
  return [toCondition(field, is ?? op ?? operator ?? "=", value)];
}

function toCondition(field: string, operator: unknown, value: unknown): QueryCondition {
  const name = String(operator).toLowerCase();
  const is = SPELLINGS[name] ?? COMPARISONS.find((known) => known === name);
  if (is === undefined || !isComparable(value) || field === "") {
    throw wrongCondition({ field, is: operator, value });
  }
  return { field, is, value };
}

function isComparable(value: unknown): value is QueryCondition["value"] {
  return value === null || /^(?:string|number|boolean)$/.test(typeof value);
}

function wrongCondition(received: unknown): ArgumentError {
  const operators = COMPARISONS.join(" ");
  return new ArgumentError(
    "where",
    received,
    `conditions with a field, one of ${operators}, and a value`,
  );
}

/** What a query says about the records. */
export interface QueryAnswer {
  readonly text: string;
  /** How many records were chosen, and which of them the text shows. */
  readonly chosen: number;
  readonly from: number;
  readonly to: number;
  /** Where to continue, if not all are shown. */
  readonly nextOffset?: number;
}

/** How many records may be held to sort them, or different values to count them. */
const MAX_HELD = 10_000;
/** How many records are shown where no limit is given: with few fields, as many as fit. */
const DEFAULT_ROWS = 20;
/** A rest of so many is shown, too. */
const FEW_ROWS = 5;
/** About how long the line of a record is. */
const ROW_CHARS = 400;
/** So few records have room for the start of what is long in them. */
const DETAILED_ROWS = 3;
const DETAILED_CHARS = 800;
/** How much of a value in a row is shown. */
const CELL_CHARS = 1_000;
const KNOWN_FIELDS = 200;
const SHOWN_FIELDS = 20;

interface HeldRow {
  readonly record: PlacedRecord;
  /** What it is sorted by. */
  readonly key: Scalar | undefined;
}

/** Chooses records as they come and remembers what the answer needs, and no more. */
export class RecordChooser {
  readonly #query: RecordQuery;
  readonly #tests: readonly ((record: unknown) => boolean)[];
  readonly #asked: readonly Field[];
  readonly #missing: Set<Field>;
  readonly #seenFields = new Set<string>();
  readonly #sort: { readonly field: Field; readonly isDown: boolean } | undefined;
  readonly #columns: readonly Field[] | undefined;
  readonly #measured: { readonly word: string; readonly field: Field } | undefined;
  readonly #groups = new Map<string, number>();
  #rows: HeldRow[] = [];
  #rowChars = 0;
  #total = 0;
  #chosen = 0;
  #sum = 0;
  #numbers = 0;
  #extreme: { readonly value: Scalar; readonly record: PlacedRecord } | undefined;
  /** How many records have the smallest or largest value. */
  #equals = 0;

  constructor(query: RecordQuery) {
    this.#query = query;
    const asked: Field[] = [];
    const field = (name: string, argument: string): Field => {
      const parsed = parseField(name, argument);
      asked.push(parsed);
      return parsed;
    };
    this.#tests = query.where.map((condition) => {
      const tests = alternativesOf(condition).map((one) =>
        createTest(one, field(one.field, "where")),
      );
      return (record) => tests.some((test) => test(record));
    });
    const { sort, fields, distinct } = query;
    const isDown = sort?.startsWith("-") ?? false;
    this.#sort =
      sort === undefined
        ? undefined
        : { field: field(isDown ? sort.slice(1) : sort, "sort"), isDown };
    this.#columns = fields?.map((name, index) => field(name, `fields[${index}]`));
    const word = (["distinct", "sum", "min", "max"] as const).find(
      (one) => query[one] !== undefined,
    );
    this.#measured =
      word === undefined ? undefined : { word, field: field(query[word] ?? "", word) };
    if (distinct !== undefined && this.#columns) this.#columns = undefined;
    this.#asked = asked;
    this.#missing = new Set(asked);
  }

  add(record: PlacedRecord): void {
    this.#total += 1;
    const { value } = record;
    for (const field of this.#missing) {
      if (valuesOf(value, field).length > 0) this.#missing.delete(field);
    }
    if (this.#missing.size > 0) this.#learnFields(value);
    if (!this.#tests.every((test) => test(value))) return;
    this.#chosen += 1;
    if (this.#query.count) return;
    if (this.#measured) this.#measure(record, this.#measured.word, this.#measured.field);
    else this.#hold(record);
  }

  #learnFields(value: unknown): void {
    if (this.#seenFields.size >= KNOWN_FIELDS) return;
    for (const { path } of leavesOf(value, true)) {
      this.#seenFields.add(nameOf(path.filter((step) => !/^\d+$/.test(step))));
    }
  }

  #measure(record: PlacedRecord, word: string, field: Field): void {
    for (const value of scalarsOf(valuesOf(record.value, field))) {
      if (word === "distinct") {
        const text = textOf(value);
        this.#groups.set(text, (this.#groups.get(text) ?? 0) + 1);
        if (this.#groups.size > MAX_HELD) {
          const expected = `a field with at most ${MAX_HELD} different values; narrow the records with conditions`;
          throw new ArgumentError("distinct", field.name, expected);
        }
        continue;
      }
      const number = numberOf(value);
      if (number !== undefined) {
        this.#sum += number;
        this.#numbers += 1;
      }
      if (word === "sum" || value === null) continue;
      const order = this.#extreme === undefined ? 1 : compareScalars(value, this.#extreme.value);
      if (this.#extreme === undefined || (word === "max" ? order > 0 : order < 0)) {
        this.#extreme = { value, record };
        this.#equals = 0;
      }
      if (this.#extreme.record === record || order === 0) this.#equals += 1;
    }
  }

  #hold(record: PlacedRecord): void {
    const { offset, limit, maxChars } = this.#query;
    if (this.#sort === undefined) {
      // Further rows could not be shown.
      const most = limit === undefined ? Infinity : limit + FEW_ROWS;
      if (this.#chosen <= offset || this.#rows.length >= most || this.#rowChars > maxChars) return;
      this.#rows.push({ record, key: undefined });
      this.#rowChars += Math.max(2, this.#render(record).length);
      return;
    }
    const [key] = scalarsOf(valuesOf(record.value, this.#sort.field));
    this.#rows.push({ record, key });
    const wanted = offset + (limit ?? MAX_HELD / 2) + FEW_ROWS;
    if (wanted > MAX_HELD) {
      const expected = `at most ${MAX_HELD}, with what is skipped, when records are sorted`;
      throw new ArgumentError("limit", limit, expected);
    }
    if (this.#rows.length >= 2 * wanted) this.#rows = this.#sorted().slice(0, wanted);
  }

  #sorted(): HeldRow[] {
    const down = this.#sort?.isDown ? -1 : 1;
    // What has no value comes last, whichever way it is sorted.
    return [...this.#rows].sort((a, b) =>
      a.key == null || b.key == null
        ? Number(a.key == null) - Number(b.key == null)
        : down * compareScalars(a.key, b.key),
    );
  }

  /** @param place - Where the records are, for the first line of the answer. */
  answer(place: string): QueryAnswer {
    this.#requireFields(place);
    const of = this.#query.where.length > 0 ? ` of ${this.#total}` : "";
    const found = `${this.#chosen}${of} record${this.#total === 1 ? "" : "s"}${place === "" ? "" : ` at ${place}`}`;
    // A number alone does not show that what was read is what was meant.
    const isBare = (this.#chosen === 0 || this.#query.count) && this.#query.where.length > 0;
    const isPattern = this.#chosen === 0 && this.#query.where.some(looksLikePattern);
    const hint = isPattern ? ' ("~" is "contains", not a regular expression)' : "";
    const head = isBare
      ? `${found}: ${formatRecordQuery({ where: this.#query.where })}${hint}`
      : found;
    const whole = { chosen: this.#chosen, from: Math.min(1, this.#chosen), to: this.#chosen };
    if (this.#query.count) return { text: head, ...whole };
    if (this.#measured) return { ...whole, ...this.#measuredAnswer(head, this.#measured) };
    return this.#rowsAnswer(head);
  }

  #measuredAnswer(
    head: string,
    { word, field }: { word: string; field: Field },
  ): { text: string; nextOffset?: number } {
    if (word === "distinct") return this.#distinctAnswer(head, field);
    const without = this.#chosen - this.#numbers;
    if (word === "sum") {
      const rest = without > 0 ? `, ${without} without a number` : "";
      const mean = this.#numbers > 0 ? `, mean ${roundSum(this.#sum / this.#numbers)}` : "";
      return { text: `sum of ${field.name}: ${roundSum(this.#sum)}${mean} (${head}${rest})` };
    }
    if (this.#extreme === undefined) return { text: `${word} of ${field.name}: none (${head})` };
    const { value, record } = this.#extreme;
    const times = this.#equals > 1 ? ` ×${this.#equals}, first` : "";
    return {
      text: `${word} of ${field.name}: ${textOf(value)}${times} (${head})\n${this.#render(record)}`,
    };
  }

  #distinctAnswer(head: string, field: Field): { text: string; nextOffset?: number } {
    const { offset, limit = Infinity, maxChars, sort } = this.#query;
    const groups = [...this.#groups];
    // Most frequent first, unless something else is asked for.
    groups.sort(([a, x], [b, y]) => (sort === undefined ? y - x : compareScalars(a, b)));
    if (sort?.startsWith("-")) groups.reverse();
    const lines = [`${groups.length} values of ${field.name} in ${head}`];
    let room = maxChars - (lines[0]?.length ?? 0) - 1;
    const shown = groups.slice(offset, offset + Math.min(limit, groups.length));
    for (const [value, count] of shown) {
      const line = count === 1 ? toCell(value) : `${toCell(value)} ×${count}`;
      room -= line.length + 1;
      if (room < 0 && lines.length > 1) break;
      lines.push(line);
    }
    const to = offset + lines.length - 1;
    return { text: lines.join("\n"), ...(to < groups.length ? { nextOffset: to } : {}) };
  }

  #rowsAnswer(head: string): QueryAnswer {
    const { offset, maxChars } = this.#query;
    const rows = (this.#sort ? this.#sorted().slice(offset) : this.#rows).map(
      ({ record }) => record,
    );
    const isShort = this.#columns !== undefined || rows.every(({ value }) => isScalar(value));
    const limit = this.#query.limit ?? (isShort ? Infinity : DEFAULT_ROWS);
    const left = this.#chosen - offset;
    const isFewMore = left - limit <= FEW_ROWS && this.#query.limit === undefined;
    const most = isFewMore ? left : limit;
    const lines = [head];
    if (this.#columns && rows.length > 0)
      lines.push(this.#columns.map(({ name }) => name).join(" | "));
    const headLines = lines.length;
    let room = maxChars - lines.join("\n").length;
    const shown = rows.slice(0, Math.min(most, rows.length));
    for (const record of shown) {
      const line = this.#render(record, shown.length <= DETAILED_ROWS);
      room -= line.length + 1;
      if (room < 0 && lines.length > headLines) break;
      lines.push(line);
    }
    const to = offset + lines.length - headLines;
    const next = to < this.#chosen ? { nextOffset: to } : {};
    const from = to > offset ? offset + 1 : 0;
    return { text: lines.join("\n"), chosen: this.#chosen, from, to, ...next };
  }

  #render({ place, value }: PlacedRecord, isDetailed = true): string {
    if (this.#columns) {
      return this.#columns.map((field) => cellOf(valuesOf(value, field))).join(" | ");
    }
    const maxChars = isDetailed ? DETAILED_CHARS : ROW_CHARS;
    return `${place} ${renderRecord(value, { maxChars, showsStarts: isDetailed })}`;
  }

  /** A field that no record has was misspelled. */
  #requireFields(place: string): void {
    if (this.#total === 0) return;
    for (const field of this.#missing) {
      const isUsed = this.#asked.includes(field);
      if (!isUsed || this.#seenFields.size === 0) continue;
      const names = nearestNames(field.name, [...this.#seenFields], SHOWN_FIELDS);
      const where = place === "" ? "" : ` at ${place}`;
      const expected = `a field that the records${where} have (${names.map((name) => quote(name)).join(", ")})`;
      throw new ArgumentError("where", field.name, expected);
    }
  }
}

function scalarsOf(values: readonly unknown[]): Scalar[] {
  return values.flatMap((value) =>
    Array.isArray(value) ? value.filter(isScalar) : isScalar(value) ? [value] : [],
  );
}

function looksLikePattern({ is, value }: QueryCondition): boolean {
  return is === "~" && typeof value === "string" && /^\^|\$$|[*+|\\]/.test(value);
}

function createTest({ is, value }: QueryCondition, field: Field): (record: unknown) => boolean {
  const isNegated = is.startsWith("!");
  const positive = isNegated ? is.slice(1) : is;
  const pointer =
    typeof value === "string" && value.startsWith("/")
      ? parseField(value, "where").paths[0]
      : undefined;
  return (record) => {
    const values = scalarsOf(valuesOf(record, field));
    const others = pointer === undefined ? [] : scalarsOf(valuesAt(record, pointer));
    const [wanted = value] = others;
    const isHit =
      wanted === null && positive === "="
        ? values.length === 0 || values.includes(null)
        : values.some((one) => holds(one, positive, wanted));
    return isHit !== isNegated;
  };
}

function holds(value: Scalar, is: string, wanted: Scalar): boolean {
  switch (is) {
    case "=":
      return isSame(value, wanted);
    case "~":
      return containsText(textOf(value), textOf(wanted));
    default: {
      if (value === null || wanted === null) return false;
      // Dates and versions begin with a digit; words are not compared with numbers.
      if (
        numberOf(wanted) !== undefined &&
        numberOf(value) === undefined &&
        !/^\d/.test(textOf(value))
      ) {
        return false;
      }
      const order = compareScalars(value, wanted);
      return is === "<"
        ? order < 0
        : is === "<="
          ? order <= 0
          : is === ">"
            ? order > 0
            : order >= 0;
    }
  }
}

/** Case counts only if a capital letter is asked for. */
function containsText(text: string, wanted: string): boolean {
  return wanted === wanted.toLowerCase()
    ? text.toLowerCase().includes(wanted)
    : text.includes(wanted);
}

const PLAIN_NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/;

/** The same text, or the same number if both are plain ones: 5 and 5.0, but not 7 and 007. */
function isSame(value: Scalar, wanted: Scalar): boolean {
  const a = textOf(value);
  const b = textOf(wanted);
  return a === b || (PLAIN_NUMBER.test(a) && PLAIN_NUMBER.test(b) && Number(a) === Number(b));
}

/** The number that a value is or is written as, with a currency sign, thousands or a percent sign: "17% off". */
function numberOf(value: Scalar): number | undefined {
  if (typeof value === "number") return value;
  if (value === null || typeof value === "boolean") return undefined;
  if (value instanceof ExactNumber) return Number(value.source);
  const text = value.trim();
  const [, digits] =
    /^[$€£¥]?\s*(-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?:\s*%(?:\s+\w+)?)?$/.exec(
      text,
    ) ?? [];
  return digits === undefined ? undefined : Number(digits.replaceAll(",", ""));
}

function compareScalars(a: Scalar, b: Scalar): number {
  const x = numberOf(a);
  const y = numberOf(b);
  if (x !== undefined && y !== undefined) return x - y;
  const [one, two] = [textOf(a), textOf(b)];
  return one < two ? -1 : one > two ? 1 : 0;
}

/** Without the digits that adding in binary leaves behind. */
function roundSum(sum: number): string {
  return String(Number(sum.toPrecision(15)));
}

function cellOf(values: readonly unknown[]): string {
  return values
    .map((value) =>
      isScalar(value) ? toCell(textOf(value)) : toCell(JSON.stringify(value, exactNumbers), true),
    )
    .join("; ");
}

function exactNumbers(_: string, value: unknown): unknown {
  return value instanceof ExactNumber ? value.source : value;
}

/** A value in a row: as it is, or quoted where it could be taken for several. */
function toCell(text: string, isJson = false): string {
  const isLong = text.length > CELL_CHARS;
  const start = isLong ? text.slice(0, CELL_CHARS) : text;
  const cell = isJson || !/[\n\r|]|^\s|\s$|^"|^$/.test(start) ? start : JSON.stringify(start);
  return isLong ? `${cell}… (${text.length} chars)` : cell;
}
