import type { ByteRange, ByteSource } from "../text/byte-source.js";
import { ArgumentError } from "../text/text-range.js";
import { createKeyTest, decodeKey } from "./json-string.js";
import {
  JsonSyntaxError,
  isContainer,
  type JsonKind,
  type JsonVisitor,
  JsonWalker,
} from "./json-walker.js";

/** How much of a pointer exists, and what is there. */
export interface PointerReach {
  /** The longest part of the pointer that exists, as a pointer; "" is the whole. */
  readonly reached: string;
  /** What kind of value is there. */
  readonly kind: string;
  /** The first keys of an object. */
  readonly keys?: readonly string[];
  /** How many items an array or members an object has. */
  readonly length?: number;
}

/** There is no value at a JSON pointer. */
export class JsonPointerError extends Error {
  constructor(
    readonly pointer: string,
    readonly reach: PointerReach,
  ) {
    super(`there is no value at "${pointer}"`);
    this.name = "JsonPointerError";
  }
}

const EXPECTED =
  'a JSON pointer such as "/items/0/name" ("" is the whole, "~1" stands for a slash in a key and "~0" for a tilde)';

/**
 * The keys and indices that a pointer names, outermost first. A text that begins with a slash is
 * read strictly by RFC 6901; so is what follows a `#`, percent-decoded. Other forms that models
 * write are accepted too: `$.a.b[0]`, `.a.b`, `a.b[0]`, `a["b c"]`.
 */
export function parsePointer(text: string, argument = "pointer"): readonly string[] {
  if (text === "" || text === "#" || text === "$" || text === ".") return [];
  if (text.startsWith("/")) return splitPointer(text, text, argument);
  if (text.startsWith("#/")) return splitPointer(decodeFragment(text, argument), text, argument);
  return parsePath(text, argument);
}

/** The RFC 6901 text of a pointer. */
export function formatPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The index that a token names in an array; undefined for `-`, `01`, `1.0` and every word. */
export function indexOfToken(token: string): number | undefined {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(token)) return undefined;
  return Number(token);
}

function splitPointer(pointer: string, text: string, argument: string): string[] {
  if (/~(?![01])/.test(pointer)) throw new ArgumentError(argument, text, EXPECTED);
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decodeFragment(text: string, argument: string): string {
  try {
    return decodeURIComponent(text.slice(1));
  } catch {
    throw new ArgumentError(argument, text, EXPECTED);
  }
}

/** One step of a path: a name, an index in brackets, or a quoted key in brackets. */
const STEP =
  /\.?([^.[\]'"]+)|\[(\d+)\]|\[("[^"\\]*(?:\\.[^"\\]*)*")\]|\['([^'\\]*(?:\\.[^'\\]*)*)'\]/gy;

function parsePath(text: string, argument: string): string[] {
  const start = text.startsWith("$.") || text.startsWith("$[") ? 1 : 0;
  const tokens: string[] = [];
  let at = start;
  while (at < text.length) {
    STEP.lastIndex = at;
    const match = STEP.exec(text);
    const [whole = "", name, index, double, single] = match ?? [];
    // Only the first name of a path may lack a dot before it.
    const isJoined = name !== undefined && at > 0 && !whole.startsWith(".");
    if (match === null || isJoined || name === "*") {
      throw new ArgumentError(argument, text, EXPECTED);
    }
    tokens.push(name ?? index ?? unquote(double) ?? (single ?? "").replace(/\\(.)/gs, "$1"));
    at += whole.length;
  }
  return tokens;
}

function unquote(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1).replace(/\\(.)/gs, "$1");
  }
}

/** Stands in a path for every item of an array. */
export const EVERY_ITEM = Symbol("every item");
export type JsonPathPattern = readonly (string | typeof EVERY_ITEM)[];

export type Located =
  | {
      readonly found: true;
      /** The first byte of the value, and the one after its last. */
      readonly start: number;
      readonly end: number;
      readonly kind: JsonKind;
      /** True for several top-level values that count as an array. */
      readonly isSequence?: true;
    }
  | {
      readonly found: false;
      /** The longest part of the pointer that exists, as a pointer. */
      readonly reached: string;
      readonly kind: JsonKind;
      /** The first keys of the object there. */
      readonly keys?: readonly string[];
      /** How many items the array there has, or members the object. */
      readonly length?: number;
    };

/** A value inside the one that was looked for. */
export interface JsonChild {
  readonly start: number;
  readonly end: number;
  readonly kind: JsonKind;
  /** The position of the key, without its quotes. */
  readonly keyStart: number;
  readonly keyEnd: number;
}

/** Receives what is directly inside the value that the path leads to. */
export interface JsonChildren {
  /** A later value has the same path: what was added before does not count. */
  reset(): void;
  add(child: JsonChild): void;
}

const SHOWN_KEYS = 20;

/** A container on the path, while it is open. */
interface Frame {
  readonly kind: "object" | "array";
  readonly start: number;
  readonly isWanted: (raw: Uint8Array | undefined) => boolean;
  /** The wanted index of an array; "every" for all items, undefined for none. */
  readonly index: number | "every" | undefined;
  readonly keys: string[];
  count: number;
  hasHit: boolean;
  keyStart: number;
  keyEnd: number;
  isKeyWanted: boolean;
}

/** The role of an open value: on the path, the target, directly inside the target, or none of these. */
type Role = "path" | "target" | "child" | "other";

interface Value {
  readonly role: Role;
  readonly kind: JsonKind;
  readonly start: number;
}

/**
 * Follows a path through a walk. The last of equal keys wins, as in JSON.parse, so an object on the
 * path must be read to its end before the answer is sure.
 */
export class JsonPathTracker implements JsonVisitor {
  isDone = false;
  /** True when a second top-level value followed although one was expected. */
  hasSeveral = false;
  outcome: Located | undefined;

  readonly #path: JsonPathPattern;
  readonly #children: JsonChildren | undefined;
  readonly #frames: Frame[] = [];
  readonly #values: Value[] = [];
  readonly #isSequence: boolean;
  /** With one path for many values, the first match is enough. */
  readonly #isForEvery: boolean;
  #end = 0;
  #objects = 0;

  /** @param isSequence - The top-level values are treated as the items of an array. */
  constructor(path: JsonPathPattern, isSequence: boolean, children?: JsonChildren) {
    this.#path = path;
    this.#children = children;
    this.#isSequence = isSequence;
    this.#isForEvery = path.includes(EVERY_ITEM);
    if (isSequence) this.#enter("array", 0);
  }

  /** True when nothing that follows can change the outcome, except another top-level value. */
  get isSettled(): boolean {
    if (this.#isForEvery) return this.outcome?.found === true;
    return this.outcome !== undefined && this.#objects === 0 && this.#frames.length > 0;
  }

  /** Only keys on the path need their bytes; inside the target their position is enough. */
  beginKey(): boolean {
    return this.#frames.length <= this.#path.length;
  }

  key(raw: Uint8Array | undefined, start: number, end: number): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    frame.keyStart = start;
    frame.keyEnd = end;
    frame.isKeyWanted = frame.isWanted(raw);
    if (frame.keys.length < SHOWN_KEYS && raw !== undefined) frame.keys.push(decodeKey(raw));
  }

  begin(kind: JsonKind, start: number): boolean {
    const role = this.#roleOfNext();
    if (role === undefined) {
      this.hasSeveral = true;
      this.isDone = true;
      return false;
    }
    this.#values.push({ role, kind, start });
    if (role === "target") this.#children?.reset();
    const isEntered =
      isContainer(kind) && (role === "path" || (role === "target" && this.#children !== undefined));
    if (isEntered) this.#enter(kind, start);
    return isEntered;
  }

  end(end: number): void {
    const value = this.#values.pop();
    if (value === undefined) return;
    this.#end = end;
    const { role, kind, start } = value;
    if (role === "other") return;
    if (role === "child") {
      const { keyStart = 0, keyEnd = 0 } = this.#frames.at(-1) ?? {};
      this.#children?.add({ start, end, kind, keyStart, keyEnd });
      return;
    }
    const isEntered = isContainer(kind) && (role === "path" || this.#children !== undefined);
    const frame = isEntered ? this.#leave() : undefined;
    if (role === "target") this.outcome = { found: true, start, end, kind };
    else if (frame?.hasHit !== true) this.outcome = this.#miss(kind, frame);
    if ((this.#isSequence || this.#isForEvery) && this.isSettled) this.isDone = true;
  }

  /** The walk is over, which also ends the implicit array. */
  finish(): Located | undefined {
    const frame = this.#isSequence && !this.isDone ? this.#frames[0] : undefined;
    if (frame === undefined) return this.outcome;
    if (this.#path.length === 0) {
      return { found: true, start: 0, end: this.#end, kind: "array", isSequence: true };
    }
    this.#frames.length = 0;
    return frame.hasHit ? this.outcome : this.#miss("array", frame);
  }

  #roleOfNext(): Role | undefined {
    const frame = this.#frames.at(-1);
    if (frame === undefined) {
      if (this.outcome !== undefined) return undefined;
      return this.#path.length === 0 ? "target" : "path";
    }
    const index = frame.count;
    frame.count += 1;
    if (this.#frames.length > this.#path.length) return "child";
    const isHit =
      frame.kind === "object"
        ? frame.isKeyWanted
        : frame.index === "every" || frame.index === index;
    if (!isHit) return "other";
    frame.hasHit = true;
    return this.#frames.length === this.#path.length ? "target" : "path";
  }

  #enter(kind: "object" | "array", start: number): void {
    const token = this.#path[this.#frames.length];
    const isText = typeof token === "string";
    if (kind === "object") this.#objects += 1;
    this.#frames.push({
      kind,
      start,
      isWanted: isText && kind === "object" ? createKeyTest(token) : () => false,
      index: isText ? indexOfToken(token) : token === undefined ? undefined : "every",
      keys: [],
      count: 0,
      hasHit: false,
      keyStart: 0,
      keyEnd: 0,
      isKeyWanted: false,
    });
  }

  #leave(): Frame | undefined {
    const frame = this.#frames.pop();
    if (frame?.kind === "object") this.#objects -= 1;
    return frame;
  }

  /** The path ends at the value that has just ended. */
  #miss(kind: JsonKind, frame: Frame | undefined): Located {
    const reached = formatPointer(this.#path.slice(0, this.#frames.length).map(String));
    if (frame === undefined) return { found: false, reached, kind };
    if (frame.kind === "array") return { found: false, reached, kind, length: frame.count };
    return { found: false, reached, kind, keys: frame.keys, length: frame.count };
  }
}

const CHUNK_BYTES = 256 * 1024;
/**
 * Whether the source is JSON Lines is certain only where the first value ends. A first value longer
 * than this is taken to be the only one, so that an early item of a huge array is found at once.
 */
const SURE_BYTES = 1024 * 1024;

export interface LocateOptions {
  readonly signal?: AbortSignal | undefined;
  /** How many bytes are read at once. Default 256 kB. */
  readonly chunkBytes?: number | undefined;
}

export interface PathOptions extends LocateOptions {
  /** Receives what is directly inside the value. */
  readonly children?: JsonChildren | undefined;
  /** Only these bytes, which hold one value, instead of all. */
  readonly range?: ByteRange | undefined;
  /** True when the source is known to be several values that count as an array. */
  readonly isSequence?: boolean | undefined;
}

/**
 * Finds the value that a pointer names, in one pass and with little memory. What is not on the path
 * is skipped by looking only at strings and brackets. The last of equal keys wins, as in JSON.parse.
 * Several top-level values, separated by line breaks, count as an array.
 */
export async function locatePointer(
  source: ByteSource,
  pointer: readonly string[],
  options: LocateOptions = {},
): Promise<Located> {
  return locatePath(source, pointer, options);
}

/** As `locatePointer`, for a path that may go through every item of an array. */
export async function locatePath(
  source: ByteSource,
  path: JsonPathPattern,
  options: PathOptions = {},
): Promise<Located> {
  const isSequence = options.isSequence === true;
  const located = await follow(source, path, isSequence, options);
  // A second value follows the first: start again, treating them as an array.
  const answer = located ?? (await follow(source, path, true, options));
  if (answer === undefined) throw new JsonSyntaxError("there is no value", source.size);
  return answer;
}

async function follow(
  source: ByteSource,
  path: JsonPathPattern,
  isSequence: boolean,
  { signal, chunkBytes = CHUNK_BYTES, children, range }: PathOptions,
): Promise<Located | undefined> {
  const tracker = new JsonPathTracker(path, isSequence, children);
  const { start, end } = range ?? { start: 0, end: source.size };
  const walker = new JsonWalker(tracker, start);
  children?.reset();
  let at = start;
  while (at < end) {
    signal?.throwIfAborted();
    const chunk = await source.read(at, Math.min(at + chunkBytes, end));
    if (chunk.length === 0) break;
    walker.push(chunk);
    at += chunk.length;
    if (tracker.hasSeveral) return undefined;
    if (tracker.isDone || (tracker.isSettled && at - start >= SURE_BYTES)) return tracker.outcome;
  }
  signal?.throwIfAborted();
  try {
    walker.end();
  } catch (error) {
    // What is whole before the place where JSON is cut off can be read.
    if (tracker.outcome?.found) return tracker.outcome;
    throw error;
  }
  return tracker.finish();
}
