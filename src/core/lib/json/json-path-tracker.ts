import { createKeyTest, decodeKey } from "./json-keys.js";
import { isContainer, type JsonKind } from "./json-layout.js";
import { formatPointer, indexOfToken } from "./json-pointer.js";
import type { JsonVisitor } from "./json-walker.js";

/** Stands in a path for every item of an array. */
export const EVERY_ITEM = Symbol("every item");
export type JsonPath = readonly (string | typeof EVERY_ITEM)[];

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

  readonly #path: JsonPath;
  readonly #children: JsonChildren | undefined;
  readonly #frames: Frame[] = [];
  readonly #values: Value[] = [];
  readonly #isSequence: boolean;
  /** With one path for many values, the first match is enough. */
  readonly #isForEvery: boolean;
  #end = 0;
  #objects = 0;

  /** @param isSequence - The top-level values are treated as the items of an array. */
  constructor(path: JsonPath, isSequence: boolean, children?: JsonChildren) {
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
