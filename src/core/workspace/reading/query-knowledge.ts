import { DEFAULTS } from "../../defaults.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { countOf } from "../../lib/text/printable.js";
import {
  JsonPointerError,
  formatPointer,
  locatePath,
  parsePointer,
} from "../../lib/json/json-pointer.js";
import { queryJson, type JsonReading } from "../../lib/json/json-query.js";
import { JsonSyntaxError } from "../../lib/json/json-walker.js";
import {
  findJsonStart,
  findRecordList,
  readJsonRecords,
  type PlacedRecord,
  type RecordList,
} from "../../lib/records/json-records.js";
import {
  formatRecordQuery,
  parseRecordQuery,
  RecordChooser,
  toConditions,
  type ParsedQuery,
  type RecordQuery,
} from "../../lib/records/record-query.js";
import { isScalar } from "../../lib/records/record-value.js";
import { findTable, readTableRecords } from "../../lib/records/table-records.js";
import { sliceSource, type ByteSource } from "../../lib/text/byte-source.js";
import { LINE_FEED } from "../../lib/text/code-units.js";
import { ArgumentError } from "../../lib/text/text-range.js";
import { type ArtifactStore, checkIfWhole, type OpenContent } from "../artifacts/artifact-store.js";
import type { ArtifactRecord } from "../artifacts/artifact.js";
import { openInnerJson, openView } from "../artifacts/readable-view.js";
import type { Reading, Scope } from "./reading.js";

/** Options of `queryKnowledge`. */
export interface QueryOptions extends Scope {
  /** A JSON pointer (RFC 6901). Default: the whole value. */
  readonly pointer?: string | undefined;
  /**
   * Only records that meet these conditions: `"status=failed, price>=100, name~foo"`, a list of
   * conditions, or an object such as `{ status: "failed", price: { ">=": 100 } }`. The text may also
   * say what else is wanted: `count`, `distinct f`, `sum f`, `min f`, `max f`, `sort f` or `sort -f`,
   * `fields a b`, `limit n`. Records are the items of an array, JSON Lines, and the rows of CSV and
   * Markdown tables; without a pointer, the largest array of objects.
   */
  readonly where?:
    | string
    | readonly {
        readonly field: string;
        readonly is: "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" | "!~";
        readonly value: string | number | boolean | null;
      }[]
    | Readonly<Record<string, unknown>>
    | undefined;
  /** Only the number of records. */
  readonly count?: boolean | undefined;
  /** Only the different values of this field of the records, and how often each occurs. */
  readonly distinct?: string | undefined;
  /** Only the sum of this field of the records. */
  readonly sum?: string | undefined;
  /** Only the smallest value of this field, and the record that has it. */
  readonly min?: string | undefined;
  /** Only the largest value of this field, and the record that has it. */
  readonly max?: string | undefined;
  /** Sort the records by this field; with a minus in front, largest first. */
  readonly sort?: string | undefined;
  /** Maximum number of items, members or records. Default: 20 items or records, or as many members or rows of `fields` as fit. */
  readonly limit?: number | undefined;
  /** Only these keys of an object, or of every object in an array; at most 100. Default: all keys. */
  readonly fields?: readonly string[] | undefined;
  /** Where an earlier answer stopped, taken from its `next`. */
  readonly cursor?: string | undefined;
  /** Maximum length of the answer's text, in characters. Default 20,000. */
  readonly maxChars?: number | undefined;
}

export interface QueryRequest {
  readonly pointer: string;
  /** `undefined`: 20 items of an array, or as many members of an object as fit. */
  readonly limit: number | undefined;
  readonly fields: readonly string[] | undefined;
  /** Conditions and what else is asked of records; `undefined` to read a value by its pointer. */
  readonly records: RecordRequest | undefined;
  readonly offset: number;
  readonly maxChars: number;
  readonly signal: AbortSignal | undefined;
}

/** What is asked of records. */
export type RecordRequest = Pick<
  RecordQuery,
  "where" | "count" | "distinct" | "sum" | "min" | "max" | "sort"
>;

/** What a caller asks for, in options and in the words of `where`; options come first. */
export function parseQuery(
  options: Omit<QueryOptions, keyof Scope | "maxChars">,
): Pick<QueryRequest, "pointer" | "records" | "fields" | "limit"> & Pick<QueryOptions, "cursor"> {
  const { where, pointer } = options;
  const parsed: ParsedQuery =
    typeof where === "string"
      ? parseRecordQuery(where)
      : { where: where === undefined ? [] : toConditions(where) };
  const words = Object.fromEntries(
    RECORD_WORDS.flatMap((word) => {
      const value = options[word] ?? parsed[word];
      return value === undefined || value === false ? [] : [[word, value]];
    }),
  );
  const isOfRecords = parsed.where.length > 0 || Object.keys(words).length > 0;
  return {
    pointer: pointer === undefined || pointer === "" ? (parsed.pointer ?? "") : pointer,
    records: isOfRecords ? { where: parsed.where, ...words } : undefined,
    fields: options.fields ?? parsed.fields,
    limit: options.limit ?? parsed.limit,
    cursor: options.cursor ?? (parsed.offset === undefined ? undefined : String(parsed.offset)),
  };
}

const RECORD_WORDS = ["count", "distinct", "sum", "min", "max", "sort"] as const;

/**
 * A part of a JSON artifact, by pointer, or records that are chosen by their fields. Where the pointer leads nowhere as it stands, it is read as
 * it was most likely meant.
 */
export async function queryArtifact(
  store: ArtifactStore,
  record: ArtifactRecord,
  request: QueryRequest,
): Promise<Reading> {
  return queryAsWritten(store, record, request).catch((error: unknown) => {
    const isElsewhere = isPointerError(error) || error instanceof JsonSyntaxError;
    if (isElsewhere && !request.records && splitAtEvery(request.pointer)) {
      return queryAsWritten(store, record, { ...request, records: { where: [] } });
    }
    // Fields of records that are further inside, as those of a list of lists.
    const isInside =
      error instanceof ArgumentError && error.argument.startsWith("fields[") && !request.records;
    const pointer = isPointerError(error) ? rereadPointer(request.pointer) : undefined;
    if (pointer === undefined && !isInside) throw error;
    const meant = isInside ? { records: { where: [] } } : { pointer: pointer ?? "" };
    return queryAsWritten(store, record, { ...request, ...meant }).catch(() => {
      throw error;
    });
  });
}

/** A pointer that leads nowhere as it stands, as it was most likely meant. */
function rereadPointer(pointer: string): string | undefined {
  if (pointer === "/") return "";
  return !pointer.startsWith("/") && pointer.includes("/") ? `/${pointer}` : undefined;
}

function isPointerError(error: unknown): boolean {
  return (
    error instanceof JsonPointerError ||
    (error instanceof ArgumentError && error.argument === "pointer")
  );
}

async function queryAsWritten(
  store: ArtifactStore,
  record: ArtifactRecord,
  request: QueryRequest,
): Promise<Reading> {
  // Each field is looked for in each item, and the next call repeats them all.
  if (request.fields && request.fields.length > DEFAULTS.queryFields) {
    throw new InvalidArgumentError(
      "fields",
      request.fields,
      `at most ${DEFAULTS.queryFields} keys`,
    );
  }
  const stored = await store.open(record);
  try {
    const { records } = request;
    const reading = records
      ? await queryRecords(store, record, stored, { ...request, records })
      : answer(record, request, await query(store, record, stored, request));
    await checkIfWhole(stored, request.signal);
    return reading;
  } catch (error) {
    if (!(error instanceof ArgumentError) || error.argument !== "offset") throw error;
    throw new ArgumentError("cursor", String(error.received), error.expected);
  } finally {
    await stored.close();
  }
}

async function query(
  store: ArtifactStore,
  record: ArtifactRecord,
  stored: OpenContent,
  request: QueryRequest,
): Promise<JsonReading> {
  const { pointer, limit, offset, maxChars, fields, signal } = request;
  const asked = {
    pointer,
    limit,
    arrayLimit: DEFAULTS.queryLimit,
    offset,
    maxChars,
    ...(fields ? { fields } : {}),
    ...(signal ? { signal } : {}),
  };
  const inner =
    (await openInnerJson(store, record, stored, signal)) ??
    ((await beginsLikeJson(stored)) ? undefined : await openView(store, record, stored, signal));
  const read = async (content: OpenContent): Promise<JsonReading> => {
    const start = (await findJsonStart(content)) ?? 0;
    if (start === 0) return queryJson(content, asked);
    return queryJson(sliceSource(content, start), asked).catch(async (error: unknown) => {
      // As text stands before it, text may follow, on a line of its own.
      if (!(error instanceof JsonSyntaxError)) throw error;
      const end = start + error.offset;
      const last = await content.read(Math.max(start, end - OPENING_BYTES), end);
      const cut = end - (last.length - last.lastIndexOf(LINE_FEED));
      return queryJson(sliceSource(content, start, cut), asked);
    });
  };
  if (!inner) return read(stored);
  try {
    return await read(inner);
  } catch (error) {
    // It may also refer to the wrapper.
    if (!(error instanceof JsonPointerError || error instanceof JsonSyntaxError)) throw error;
    return await read(stored).catch(() => {
      throw error;
    });
  } finally {
    await inner.close();
  }
}

function answer(record: ArtifactRecord, request: QueryRequest, read: JsonReading): Reading {
  const { items, leftOut, nextOffset } = read;
  const chars = read.text.length;
  return {
    artifactId: record.artifactId,
    sessionId: record.sessionId,
    view: "raw",
    text: read.text,
    range: items
      ? { unit: "items", ...items }
      : {
          unit: "chars",
          from: request.offset + Math.min(chars, 1),
          to: request.offset + chars,
          of: request.offset + chars + (leftOut?.chars ?? 0),
        },
    leftOut:
      leftOut?.items !== undefined
        ? { unit: "items", count: leftOut.items }
        : leftOut?.chars !== undefined
          ? { unit: "chars", count: leftOut.chars }
          : undefined,
    next:
      nextOffset === undefined
        ? undefined
        : {
            tool: "query_knowledge",
            input: {
              artifact_id: record.artifactId,
              pointer: request.pointer,
              ...(request.fields ? { fields: request.fields } : {}),
              ...(request.limit === undefined ? {} : { limit: request.limit }),
              cursor: String(nextOffset),
            },
          },
    note:
      items && leftOut?.chars !== undefined
        ? "Values that are too long are left out; each is shown with the pointer to read it."
        : undefined,
  };
}

/** The records of an artifact that meet the conditions, or what is asked of them. */
async function queryRecords(
  store: ArtifactStore,
  record: ArtifactRecord,
  stored: OpenContent,
  request: QueryRequest & { readonly records: RecordRequest },
): Promise<Reading> {
  const { signal } = request;
  const inner = await openInnerJson(store, record, stored, signal);
  const view = inner ? undefined : await openView(store, record, stored, signal);
  try {
    const found =
      (await findRecords(inner ?? view ?? stored, request)) ??
      (inner || view ? await findRecords(stored, request) : undefined);
    if (found) return await chooseRecords(record, request, found);
  } finally {
    await inner?.close();
    await view?.close();
  }
  const expected =
    "omitted for this result: it has no list of records (a JSON array of objects, JSON Lines, a table with a header, or matches such as a.ts:12:text); to count lines, pass a pattern and count";
  throw new InvalidArgumentError("where", formatRecordQuery(request.records), expected);
}

interface FoundRecords {
  /** Where they are, for the reader. */
  readonly place: string;
  readonly batches: AsyncGenerator<readonly PlacedRecord[]>;
}

async function findRecords(
  source: ByteSource,
  { pointer, signal }: QueryRequest,
): Promise<FoundRecords | undefined> {
  const every = splitAtEvery(pointer);
  const list = await findJsonList(source, pointer, signal).catch((error: unknown) => {
    // A key may be an asterisk; where none is, it stands for every item.
    if (every && (error instanceof JsonPointerError || error instanceof JsonSyntaxError))
      return findJsonList(source, every.list, signal, true);
    throw error;
  });
  if (list) {
    const steps = list.pointer === pointer ? [] : (every?.steps ?? []);
    const batches = readJsonRecords(source, list, signal);
    return { place: list.pointer, batches: expandRecords(batches, steps) };
  }
  const table = pointer === "" ? await findTable(source) : undefined;
  return table && { place: "", batches: readTableRecords(source, table, signal) };
}

/** A pointer with an asterisk for every item: where the list is, and the steps inside of its items. */
function splitAtEvery(
  pointer: string,
): { readonly list: string; readonly steps: readonly string[] } | undefined {
  const tokens = pointer.startsWith("/") ? parsePointer(pointer) : [];
  const at = tokens.indexOf("*");
  if (at === -1) return undefined;
  return { list: formatPointer(tokens.slice(0, at)), steps: tokens.slice(at + 1) };
}

/** Records at these steps inside of the items of a list; those of lists in a list one by one. */
async function* expandRecords(
  batches: AsyncGenerator<readonly PlacedRecord[]>,
  steps: readonly string[],
): AsyncGenerator<readonly PlacedRecord[]> {
  for await (const batch of batches) {
    const found = steps.reduce<readonly PlacedRecord[]>(
      (records, step) => records.flatMap((record) => stepInto(record, step)),
      batch,
    );
    yield found.flatMap(flatten);
  }
}

function stepInto({ place, value }: PlacedRecord, step: string): PlacedRecord[] {
  if (isScalar(value)) return [];
  const members = Object.entries(value as object) as [string, unknown][];
  const isKey = Object.hasOwn(value as object, step);
  return members
    .filter(([key]) => (isKey ? key === step : step === "*"))
    .map(([key, inner]) => ({ place: place + formatPointer([key]), value: inner }));
}

function flatten(record: PlacedRecord): PlacedRecord[] {
  const { value } = record;
  const isList = Array.isArray(value) && value.some((item) => !isScalar(item));
  return isList ? stepInto(record, "*").flatMap(flatten) : [record];
}

/** Whether it need not be looked for in what the reader sees of a wrapping, which may hold JSON that is cut off. */
async function beginsLikeJson(stored: ByteSource): Promise<boolean> {
  return /^\s*[[{"]/.test(new TextDecoder("latin1").decode(await stored.read(0, OPENING_BYTES)));
}

const OPENING_BYTES = 64;

/** @param isExact - The members of an object itself, rather than the largest list in it. */
async function findJsonList(
  source: ByteSource,
  pointer: string,
  signal: AbortSignal | undefined,
  isExact = false,
): Promise<RecordList | undefined> {
  const start = await findJsonStart(source);
  if (start === undefined) return undefined;
  const within = { start, end: source.size };
  const tokens = parsePointer(pointer);
  const largest = () => findRecordList(source, within, "", signal);
  if (tokens.length === 0 && !isExact) {
    const list = await largest();
    if (list) return list;
  }
  const located = await locatePath(source, tokens, { range: within, signal }).catch(
    async (error: unknown) => {
      // In JSON that is cut off, only the largest list can be read.
      const list = error instanceof JsonSyntaxError ? await largest() : undefined;
      if (list?.pointer === pointer) return { found: true as const, ...list };
      if (tokens.length === 0 && error instanceof JsonSyntaxError) return undefined;
      throw error;
    },
  );
  if (located === undefined) return undefined;
  if (!located.found) throw new JsonPointerError(pointer, located);
  const { kind, isSequence = false } = located;
  if (kind === "array" || (kind === "object" && isExact)) {
    return { ...located, kind, pointer, isSequence };
  }
  return kind === "object" ? findRecordList(source, located, pointer, signal) : undefined;
}

async function chooseRecords(
  record: ArtifactRecord,
  request: QueryRequest & { readonly records: RecordRequest },
  { place, batches }: FoundRecords,
): Promise<Reading> {
  const { records, fields, limit, offset, maxChars, pointer } = request;
  const chooser = new RecordChooser({ ...records, fields, limit, offset, maxChars });
  let count = 0;
  let note: string | undefined;
  try {
    for await (const batch of batches) {
      for (const one of batch) chooser.add(one);
      count += batch.length;
    }
  } catch (error) {
    if (!(error instanceof JsonSyntaxError) || count === 0) throw error;
    note = `The JSON is cut off or damaged after ${countOf(count, "record")}: only these were looked at.`;
  }
  const { text, chosen, from, to, nextOffset } = chooser.answer(place);
  const where = formatRecordQuery({ ...records, fields, limit, offset: nextOffset });
  const input = { artifact_id: record.artifactId, ...(pointer === "" ? {} : { pointer }), where };
  return {
    artifactId: record.artifactId,
    sessionId: record.sessionId,
    view: "raw",
    text,
    range: { unit: "items", from, to, of: chosen },
    leftOut:
      nextOffset === undefined || limit !== undefined
        ? undefined
        : { unit: "items", count: chosen - to },
    next: nextOffset === undefined ? undefined : { tool: "query_knowledge", input },
    note,
  };
}
