import { LINE_FEED, SPACE } from "../text/code-units.js";
import {
  COLON,
  COMMA,
  JsonSyntaxError,
  isContainer,
  type JsonKind,
  JsonWalker,
  type JsonVisitor,
} from "./json-walker.js";

/** Indentation makes the output of deep nesting quadratic, so there is a limit. */
const MAX_LEVELS = 512;

/** Indents a JSON text by two spaces, piece by piece. */
export interface JsonIndenter {
  /** Takes the next bytes of the text; returns as much of the output as is certain. */
  push(chunk: Uint8Array): Uint8Array;
  /** Ends the text; throws if it is not complete. */
  end(): Uint8Array;
}

/**
 * Checks a JSON text and lays it out as `JSON.stringify(value, null, 2)` would, but never converts a
 * string or a number: `1.0`, `1e5`, twenty digits and every escape are kept as they are. A byte order
 * mark is dropped. Throws `JsonSyntaxError` at the first wrong byte.
 */
export function createJsonIndenter(): JsonIndenter {
  const layout = new IndentedLayout();
  const walker = new JsonWalker(layout, 0);
  return {
    push(chunk) {
      layout.chunk = chunk;
      walker.push(chunk);
      return layout.endChunk();
    },
    end() {
      walker.end();
      return layout.endChunk();
    },
  };
}

/** Nothing is waiting to be copied. */
const NOTHING = -1;
const NO_BYTES = new Uint8Array(0);

/** Writes what the walker visits, each value on its own line. */
class IndentedLayout implements JsonVisitor {
  readonly isDone = false;
  chunk: Uint8Array = NO_BYTES;

  readonly #out = new ByteSink(4096);
  /** For each level, and the top, 1 once a value is in it. */
  readonly #isBegun = new Uint8Array(MAX_LEVELS + 1);
  #level = 0;
  #isAfterKey = false;
  /** Where the chunk begins in the text. */
  #base = 0;
  /** From here on the chunk holds a key, string, number or word that is not copied yet. */
  #copyFrom = NOTHING;

  beginKey(start: number): boolean {
    this.#beginLine(start - 1);
    this.#copyFrom = start - 1 - this.#base;
    return false;
  }

  key(_raw: undefined, _start: number, end: number): void {
    this.#copy(end + 1);
    this.#out.byte(COLON);
    this.#out.byte(SPACE);
    this.#isAfterKey = true;
  }

  begin(kind: JsonKind, start: number): boolean {
    if (this.#isAfterKey) this.#isAfterKey = false;
    else this.#beginLine(start);
    if (!isContainer(kind)) {
      this.#copyFrom = start - this.#base;
      return false;
    }
    if (this.#level === MAX_LEVELS) {
      throw new JsonSyntaxError(`nested deeper than ${MAX_LEVELS}`, start, true);
    }
    this.#out.byte(this.#byteAt(start));
    this.#level += 1;
    this.#isBegun[this.#level] = 0;
    return true;
  }

  end(end: number): void {
    if (this.#copyFrom !== NOTHING) {
      this.#copy(end);
      return;
    }
    const isEmpty = this.#isBegun[this.#level] === 0;
    this.#level -= 1;
    if (!isEmpty) this.#out.line(this.#level);
    this.#out.byte(this.#byteAt(end - 1));
  }

  /** What was written since the last chunk. */
  endChunk(): Uint8Array {
    const end = this.#base + this.chunk.length;
    if (this.#copyFrom !== NOTHING) {
      this.#copy(end);
      this.#copyFrom = 0;
    }
    this.#base = end;
    this.chunk = NO_BYTES;
    return this.#out.take();
  }

  #beginLine(start: number): void {
    const isFirst = this.#isBegun[this.#level] === 0;
    this.#isBegun[this.#level] = 1;
    if (this.#level === 0) {
      if (!isFirst) throw JsonSyntaxError.unexpected(this.#byteAt(start), start);
      return;
    }
    if (!isFirst) this.#out.byte(COMMA);
    this.#out.line(this.#level);
  }

  #copy(end: number): void {
    this.#out.run(this.chunk, this.#copyFrom, end - this.#base);
    this.#copyFrom = NOTHING;
  }

  #byteAt(offset: number): number {
    return this.chunk[offset - this.#base] as number;
  }
}

/** Below this many bytes a loop is faster than a native copy. */
const SHORT_RUN = 32;

const INDENT_BYTES = 2;

/** A byte array that grows at its end. */
export class ByteSink {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(Math.max(capacity, 64));
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  run(chunk: Uint8Array, from: number, to: number): void {
    const count = to - from;
    this.#reserve(count);
    if (count > SHORT_RUN) this.#bytes.set(chunk.subarray(from, to), this.#length);
    else {
      const bytes = this.#bytes;
      let at = this.#length;
      for (let index = from; index < to; index += 1) bytes[at++] = chunk[index] as number;
    }
    this.#length += count;
  }

  /** A line break and the spaces of the level. */
  line(level: number): void {
    const count = 1 + level * INDENT_BYTES;
    this.#reserve(count);
    const bytes = this.#bytes;
    const end = this.#length + count;
    bytes[this.#length] = LINE_FEED;
    for (let at = this.#length + 1; at < end; at += 1) bytes[at] = SPACE;
    this.#length = end;
  }

  /** Returns what was written and empties the sink. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
