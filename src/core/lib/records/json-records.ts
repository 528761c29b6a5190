import { formatPointer, JsonPathTracker, type JsonChild } from "../json/json-pointer.js";
import { decodeKey } from "../json/json-string.js";
import {
  isContainer,
  JsonSyntaxError,
  JsonWalker,
  type JsonKind,
  type JsonVisitor,
} from "../json/json-walker.js";
import type { ByteRange, ByteSource } from "../text/byte-source.js";
import { ArgumentError } from "../text/text-range.js";
import { decodeWtf8 } from "../text/wtf8.js";
import { parseExactly } from "./record-value.js";

/** A record, and where it is: its pointer, or the number of its line. */
export interface PlacedRecord {
  readonly place: string;
  readonly value: unknown;
}

/** How much of a text is searched for JSON that follows other lines. */
const PREFACE_BYTES = 4_096;

/** The byte where JSON begins: at once, or on a line of its own below a few others. */
export async function findJsonStart(source: ByteSource): Promise<number | undefined> {
  const opening = new TextDecoder("latin1").decode(await source.read(0, PREFACE_BYTES));
  if (/^\s*[[{]/.test(opening)) return 0;
  // Lines of a log begin with a bracket, too.
  const start = opening.search(/\n[^\S\n]*(?:\{\s*["}]|\[\s*[[{"\]])/);
  return start === -1 ? undefined : start;
}

const CHUNK_BYTES = 256 * 1024;
/** A record is held in memory while it is looked at. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** Where the records of a JSON text are: the items of an array, the values of an object, or several top-level values. */
export interface RecordList extends ByteRange {
  readonly pointer: string;
  readonly kind: "array" | "object";
  readonly isSequence: boolean;
}

/** The records, as they are read; what was read so far is yielded before an error is thrown. */
export async function* readJsonRecords(
  source: ByteSource,
  list: RecordList,
  signal?: AbortSignal,
): AsyncGenerator<readonly PlacedRecord[]> {
  const children: JsonChild[] = [];
  const tracker = new JsonPathTracker([], list.isSequence, {
    reset: () => undefined,
    add: (child) => children.push(child),
  });
  const walker = new JsonWalker(tracker, list.start);
  let count = 0;
  const take = async (): Promise<PlacedRecord[]> => {
    const records: PlacedRecord[] = [];
    const [first] = children;
    const last = children.at(-1);
    if (first === undefined || last === undefined) return records;
    const isLarge = last.end - first.start > 2 * MAX_RECORD_BYTES;
    const all = isLarge ? undefined : await source.read(first.start, last.end);
    for (const { start, end, keyStart, keyEnd } of children.splice(0)) {
      if (end - start > MAX_RECORD_BYTES) {
        const where = list.pointer === "" ? "the top" : list.pointer;
        const expected = `a list of records shorter than ${MAX_RECORD_BYTES} bytes each; one at ${where} has ${end - start}`;
        throw new ArgumentError("pointer", list.pointer, expected);
      }
      const bytes = all?.subarray(start - first.start, end - first.start);
      const text = decodeWtf8(bytes ?? (await source.read(start, end)));
      const key =
        list.kind === "array" ? String(count) : decodeKey(await source.read(keyStart, keyEnd));
      count += 1;
      records.push({ place: list.pointer + formatPointer([key]), value: parseExactly(text) });
    }
    return records;
  };
  for (let at = list.start; at < list.end;) {
    signal?.throwIfAborted();
    const chunk = await source.read(at, Math.min(at + CHUNK_BYTES, list.end));
    if (chunk.length === 0) break;
    at += chunk.length;
    try {
      walker.push(chunk);
    } catch (error) {
      yield await take();
      throw error;
    }
    yield await take();
  }
  walker.end();
}

/** The largest array of objects, else of arrays, that is not inside another array; `undefined` if there is none. */
export async function findRecordList(
  source: ByteSource,
  within: ByteRange,
  pointer: string,
  signal?: AbortSignal,
): Promise<RecordList | undefined> {
  const finder = new ListFinder();
  const walker = new JsonWalker(finder, within.start);
  try {
    for (let at = within.start; at < within.end;) {
      signal?.throwIfAborted();
      const chunk = await source.read(at, Math.min(at + CHUNK_BYTES, within.end));
      if (chunk.length === 0) break;
      walker.push(chunk);
      at += chunk.length;
    }
    walker.end();
  } catch (error) {
    // What was found before the text ends or goes wrong can be read.
    if (!(error instanceof JsonSyntaxError)) throw error;
    finder.cutAt(within.end);
  }
  if (finder.isSequence) {
    return { ...within, pointer, kind: "array", isSequence: true };
  }
  const best = finder.best;
  if (best === undefined) return undefined;
  const tokens = await Promise.all(
    best.keys.map(async ([start, end]) => decodeKey(await source.read(start, end))),
  );
  const { start, end, kind } = best;
  return { start, end, kind, pointer: pointer + formatPointer(tokens), isSequence: false };
}

interface OpenList {
  readonly kind: JsonKind;
  readonly start: number;
  count: number;
  objects: number;
  arrays: number;
  key: readonly [number, number];
}

interface FoundList {
  readonly kind: "array" | "object";
  /** How sure it is that it holds records. */
  readonly rank: number;
  readonly start: number;
  readonly end: number;
  readonly keys: readonly (readonly [number, number])[];
}

/** Looks at every object that is not in an array, and at what arrays hold. */
class ListFinder implements JsonVisitor {
  readonly isDone = false;
  isSequence = false;
  best: FoundList | undefined;
  readonly #open: OpenList[] = [];
  #tops = 0;

  beginKey(): boolean {
    return false;
  }

  key(_: unknown, start: number, end: number): void {
    const parent = this.#open.at(-1);
    if (parent) parent.key = [start, end];
  }

  begin(kind: JsonKind, start: number): boolean {
    const parent = this.#open.at(-1);
    if (parent !== undefined) {
      parent.count += 1;
      if (kind === "object") parent.objects += 1;
      if (kind === "array") parent.arrays += 1;
    }
    this.#open.push({ kind, start, count: 0, objects: 0, arrays: 0, key: [0, 0] });
    return isContainer(kind) && parent?.kind !== "array";
  }

  end(end: number): void {
    const list = this.#open.pop();
    if (list !== undefined) this.#consider(list, end);
    // What only begins like a second value may be text below the JSON.
    if (this.#open.length === 0) this.#tops += 1;
    this.isSequence = this.#tops > 1;
  }

  /** The text ends here, though lists are open. */
  cutAt(end: number): void {
    for (let list = this.#open.pop(); list !== undefined; list = this.#open.pop()) {
      this.#consider(list, end);
    }
  }

  #consider({ kind, start, count, objects, arrays }: OpenList, end: number): void {
    if (!isContainer(kind) || this.#open.at(-1)?.kind === "array") return;
    // An object of objects is a list by name, but only where there is no array; a list of lists comes last.
    const isOfObjects =
      kind === "array" ? objects > 0 && objects * 2 >= count : objects > 1 && objects === count;
    const isOfLists = kind === "array" && arrays > 0 && arrays === count;
    if (!isOfObjects && !isOfLists) return;
    const rank = isOfLists ? 1 : kind === "object" ? 2 : 3;
    const best = this.best;
    const isBetter =
      best === undefined ||
      rank > best.rank ||
      (rank === best.rank && end - start > best.end - best.start);
    if (!isBetter) return;
    const keys = this.#open.map(({ key }) => key);
    this.best = { kind, start, end, keys, rank };
  }
}

/** The largest record that is shown for a match inside of it. */
const SHOWN_RECORD_BYTES = 8_192;

/** Where in a JSON text a match is. */
export interface MatchPlace {
  /** The value that holds the match. */
  readonly path: readonly string[];
  /** The record that holds it: an item of a list. */
  readonly record?: {
    readonly path: readonly string[];
    readonly start: number;
    readonly end: number;
  };
}

/**
 * Says for each byte which value it belongs to, and to which record. The record is the outermost item
 * of a list that is not too long to be told in a line, else the innermost one.
 *
 * @param offsets - In ascending order. Those behind the JSON have no place in the answer.
 */
export async function placeMatches(
  source: ByteSource,
  offsets: readonly number[],
  signal?: AbortSignal,
): Promise<MatchPlace[]> {
  const visitor = new PlaceFinder(offsets, await holdsSeveral(source));
  const walker = new JsonWalker(visitor, 0);
  const isPlaced = (): boolean => visitor.isDone;
  try {
    for (let at = 0; at < source.size && !isPlaced();) {
      signal?.throwIfAborted();
      const chunk = await source.read(at, Math.min(at + CHUNK_BYTES, source.size));
      if (chunk.length === 0) break;
      walker.push(chunk);
      at += chunk.length;
    }
    if (!isPlaced()) walker.end();
  } catch (error) {
    // Text may follow the JSON, or it may be cut off: what comes then has no place.
    if (visitor.found.length === 0 || !(error instanceof JsonSyntaxError)) throw error;
  }
  const keyAt = async (step: Step): Promise<string> =>
    typeof step === "number" ? String(step) : decodeKey(await source.read(step[0], step[1]));
  const places: MatchPlace[] = [];
  for (const { steps, records } of visitor.found) {
    const path = await Promise.all(steps.map(keyAt));
    const chosen =
      records.find(({ start, end = Infinity }) => end - start <= SHOWN_RECORD_BYTES) ??
      records.at(-1);
    const record = chosen?.end === undefined ? undefined : chosen;
    places.push({
      path,
      ...(record === undefined
        ? {}
        : {
            record: {
              path: path.slice(0, record.depth),
              start: record.start,
              end: record.end ?? record.start,
            },
          }),
    });
  }
  return places;
}

/** A first value longer than this is taken to be the only one. */
const SURE_BYTES = 1024 * 1024;

/** Whether a source is JSON Lines: a second top-level value follows the first. */
async function holdsSeveral(source: ByteSource): Promise<boolean> {
  let begun = 0;
  let ended = 0;
  const counter: JsonVisitor = {
    get isDone() {
      return ended > 1;
    },
    beginKey: () => false,
    key: () => undefined,
    begin: () => {
      begun += 1;
      return false;
    },
    end: () => {
      ended += 1;
    },
  };
  try {
    new JsonWalker(counter, 0).push(await source.read(0, SURE_BYTES));
  } catch (error) {
    // What only begins like a second value may be text below the JSON.
    if (!(error instanceof JsonSyntaxError)) throw error;
    return ended > 1;
  }
  return begun > 1;
}

type Step = number | readonly [keyStart: number, keyEnd: number];

interface OpenRecord {
  readonly start: number;
  end?: number;
  readonly depth: number;
}

interface OpenPlace {
  readonly kind: JsonKind;
  readonly step: Step | undefined;
  readonly record: OpenRecord | undefined;
  next: Step;
}

class PlaceFinder implements JsonVisitor {
  readonly found: { readonly steps: readonly Step[]; readonly records: readonly OpenRecord[] }[] =
    [];
  readonly #offsets: readonly number[];
  readonly #open: OpenPlace[] = [];
  readonly #isSequence: boolean;
  #tops = 0;
  #waiting = 0;

  /** @param isSequence - Several top-level values count as an array. */
  constructor(offsets: readonly number[], isSequence: boolean) {
    this.#offsets = offsets;
    this.#isSequence = isSequence;
  }

  get isDone(): boolean {
    return this.found.length === this.#offsets.length && this.#waiting === 0;
  }

  beginKey(): boolean {
    return false;
  }

  key(_: unknown, start: number, end: number): void {
    const parent = this.#open.at(-1);
    if (parent) parent.next = [start, end];
  }

  begin(kind: JsonKind, start: number): boolean {
    const parent = this.#open.at(-1);
    const step = parent?.next ?? (this.#isSequence ? this.#tops : undefined);
    if (parent === undefined) this.#tops += 1;
    else if (typeof parent.next === "number") parent.next += 1;
    const isItem = parent === undefined ? this.#isSequence : parent.kind === "array";
    const depth = this.#open.length + (this.#isSequence ? 1 : 0);
    const record = kind === "object" && isItem ? { start, depth } : undefined;
    this.#open.push({ kind, step, record, next: 0 });
    return isContainer(kind);
  }

  end(end: number): void {
    for (
      let offset = this.#offsets[this.found.length];
      offset !== undefined && offset < end;
      offset = this.#offsets[this.found.length]
    ) {
      const steps = this.#open.flatMap(({ step }) => (step === undefined ? [] : [step]));
      const records = this.#open.flatMap(({ record }) => (record === undefined ? [] : [record]));
      this.#waiting += records.length > 0 ? 1 : 0;
      this.found.push({ steps, records });
    }
    const closed = this.#open.pop();
    if (closed?.record === undefined) return;
    closed.record.end = end;
    // Every record around a match is complete once the outermost is.
    if (!this.#open.some(({ record }) => record !== undefined)) this.#waiting = 0;
  }
}
