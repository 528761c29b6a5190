import type { ByteSource } from "../text/byte-source.js";
import { decodeWtf8, encodeWtf8 } from "../text/wtf8.js";
import {
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  BACKSLASH,
  unescapeJson,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isWhitespace,
  JsonStringScan,
  NEWLINE,
  SPACE,
  beginScalar,
  isCompleteScalar,
  nextScalarState,
  NO_SCALAR,
  JsonSkip,
} from "./json-characters.js";
import { JsonSyntaxError } from "./json-pointer.js";

const LINE_BREAK = 0x0a;
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
    bytes[this.#length] = LINE_BREAK;
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

/** Some programs write these bytes first; they are not part of the text. */
const MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** Skips a byte order mark, which may arrive one byte at a time. */
export class ByteOrderMark {
  #seen = 0;

  /** How many bytes at the beginning of the chunk belong to the mark. */
  skip(chunk: Uint8Array, base: number): number {
    if (base !== this.#seen || base >= MARK.length) return 0;
    let at = 0;
    while (at < chunk.length && chunk[at] === MARK[this.#seen]) {
      at += 1;
      this.#seen += 1;
    }
    const isHalf = this.#seen > 0 && this.#seen < MARK.length;
    if (isHalf && at < chunk.length) {
      throw JsonSyntaxError.unexpected(chunk[at] as number, base + at);
    }
    return at;
  }
}

const BLOCK_BYTES = 64 * 1024;

/** Keeps the last block, so that many small reads close together cost one read. */
export function readAhead(source: ByteSource): ByteSource {
  let block = new Uint8Array(0);
  let blockStart = 0;
  return {
    size: source.size,
    read: async (start, end) => {
      if (end - start >= BLOCK_BYTES) return source.read(start, end);
      const isHeld = start >= blockStart && end <= blockStart + block.length;
      if (!isHeld) {
        const read = await source.read(start, Math.min(start + BLOCK_BYTES, source.size));
        // A copy: the source may reuse its buffer.
        block = new Uint8Array(read);
        blockStart = start;
      }
      return block.subarray(start - blockStart, end - blockStart);
    },
  };
}

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

const KIND_OF_BYTE: (JsonKind | undefined)[] = Array.from({ length: 256 }, () => undefined);
KIND_OF_BYTE[OPEN_OBJECT] = "object";
KIND_OF_BYTE[OPEN_ARRAY] = "array";
KIND_OF_BYTE[QUOTE] = "string";
KIND_OF_BYTE[0x74] = KIND_OF_BYTE[0x66] = "boolean";
KIND_OF_BYTE[0x6e] = "null";
KIND_OF_BYTE[0x2d] = "number";
KIND_OF_BYTE.fill("number", 0x30, 0x3a);

/** The kind of value that begins with this byte; undefined when none does. */
export function kindOfFirstByte(byte: number): JsonKind | undefined {
  return KIND_OF_BYTE[byte];
}

export function isContainer(kind: JsonKind): kind is "object" | "array" {
  return kind === "object" || kind === "array";
}

const INDENT = "  ";

/** What a line costs in a container besides its text: a line break, the indentation and a comma. */
export function lineCost(level: number): number {
  return 2 + INDENT.length * (level + 1);
}

/** What a container at a level costs besides its lines. */
export function bracketsCost(level: number): number {
  // The last line has no comma, but a line break before the closing bracket.
  return 2 + INDENT.length * level;
}

/** A text moved some levels deeper. No line break in indented JSON is part of a string. */
export function nest(text: string, levels: number): string {
  return text.replaceAll("\n", `\n${INDENT.repeat(levels)}`);
}

/** A container whose first bracket is at a level, around lines that are nested in it already. */
export function wrap(kind: "object" | "array", lines: readonly string[], level: number): string {
  const open = kind === "object" ? "{" : "[";
  const close = kind === "object" ? "}" : "]";
  if (lines.length === 0) return open + close;
  const outer = INDENT.repeat(level);
  return `${open}${lines.map((line) => `\n${outer}${INDENT}${line}`).join(",")}\n${outer}${close}`;
}

/** The text of a key from its raw bytes between the quotes. */
export function decodeKey(raw: Uint8Array): string {
  const text = decodeWtf8(raw);
  return raw.includes(BACKSLASH) ? unescapeJson(text) : text;
}

/** A test for one key, which decodes only keys that could be the same one written with escapes. */
export function createKeyTest(key: string): (raw: Uint8Array | undefined) => boolean {
  const wanted = encodeWtf8(key);
  return (raw) => {
    if (raw === undefined) return false;
    if (isEqual(raw, wanted)) return true;
    // The same key written with escapes is always longer.
    return raw.length > wanted.length && raw.includes(BACKSLASH) && decodeKey(raw) === key;
  };
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}

/** No pointer names a longer key, and a hostile key must not fill the memory. */
const MOST_KEY_BYTES = 1 << 20;

/** Collects the bytes of a key, without quotes, which may come in several chunks. */
export class JsonKeyBytes {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** A part that ends with its chunk. */
  add(chunk: Uint8Array, from: number, to: number): void {
    this.#length += to - from;
    if (this.#length > MOST_KEY_BYTES) this.#parts = [];
    // A copy, which Buffer.slice would not make: the source may reuse its chunk.
    else this.#parts.push(new Uint8Array(chunk.subarray(from, to)));
  }

  /** The whole key, including its last part; valid until the chunk is reused; undefined if it is too long. */
  take(chunk: Uint8Array, from: number, to: number): Uint8Array | undefined {
    if (this.#length === 0)
      return to - from > MOST_KEY_BYTES ? undefined : chunk.subarray(from, to);
    this.add(chunk, from, to);
    const bytes = this.#length > MOST_KEY_BYTES ? undefined : new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      bytes?.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    this.#length = 0;
    return bytes;
  }
}

/** Visits the values of a JSON text, as deep as it chooses to. */
export interface JsonVisitor {
  /** Once true, the walk stops. */
  readonly isDone: boolean;
  /** A key begins after its quote; return true to get its bytes. */
  beginKey(start: number): boolean;
  /** The key ends before `end`. `raw` is the key as written in the text, without quotes. */
  key(raw: Uint8Array | undefined, start: number, end: number): void;
  /** A value begins; return true to visit what is inside it. */
  begin(kind: JsonKind, start: number): boolean;
  /** The innermost open value ends before this byte. */
  end(end: number): void;
}

const enum Due {
  Value,
  ValueOrClose,
  Key,
  KeyOrClose,
  Colon,
  CommaOrClose,
  /** At the top level: the end, or another value after a line break. */
  Nothing,
}

/**
 * Walks JSON that comes in chunks. What the visitor enters is checked; everything else is skipped by
 * looking only at strings and brackets. Several top-level values must be separated by line breaks.
 */
export class JsonWalker {
  readonly #visitor: JsonVisitor;
  readonly #mark = new ByteOrderMark();
  readonly #string = new JsonStringScan();
  readonly #skip = new JsonSkip();
  readonly #key = new JsonKeyBytes();
  /** For each container that was entered and is open, whether it is an object. */
  readonly #open: boolean[] = [];
  #isInObject = false;
  #due = Due.Value;
  #scalar = NO_SCALAR;
  #isKey = false;
  #isKeyKept = false;
  #keyStart = 0;
  #hasLineBreak = false;
  #base: number;

  /** @param base - Where the first chunk begins in the source. */
  constructor(visitor: JsonVisitor, base: number) {
    this.#visitor = visitor;
    this.#base = base;
  }

  push(chunk: Uint8Array): void {
    let at = this.#resume(chunk, this.#mark.skip(chunk, this.#base));
    while (at < chunk.length && !this.#visitor.isDone) at = this.#step(chunk, at);
    this.#base += chunk.length;
  }

  /** No more bytes will come. */
  end(): void {
    if (this.#scalar !== NO_SCALAR) this.#endScalar(this.#base);
    if (this.#due !== Due.Nothing || this.#string.isOpen || this.#skip.isOpen) {
      throw JsonSyntaxError.cutShort(this.#base);
    }
  }

  /** Continues a value that was cut by the end of the last chunk. */
  #resume(chunk: Uint8Array, at: number): number {
    if (at === chunk.length || this.#visitor.isDone) return at;
    if (this.#skip.isOpen) return this.#continueSkip(chunk, at);
    if (this.#string.isOpen) return this.#continueString(chunk, at);
    return this.#scalar === NO_SCALAR ? at : this.#continueScalar(chunk, at);
  }

  #step(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] as number;
    if (byte <= SPACE && isWhitespace(byte)) {
      if (byte === NEWLINE) this.#hasLineBreak = true;
      return at + 1;
    }
    switch (this.#due) {
      case Due.CommaOrClose:
        if (byte !== COMMA) return this.#close(byte, at);
        this.#due = this.#isInObject ? Due.Key : Due.Value;
        return at + 1;
      case Due.Colon:
        if (byte !== COLON) throw JsonSyntaxError.unexpected(byte, this.#base + at);
        this.#due = Due.Value;
        return at + 1;
      case Due.Key:
      case Due.KeyOrClose:
        if (byte !== QUOTE) return this.#close(byte, at);
        this.#isKey = true;
        this.#keyStart = this.#base + at + 1;
        this.#isKeyKept = this.#visitor.beginKey(this.#keyStart);
        this.#string.begin();
        return this.#continueString(chunk, at + 1);
      case Due.ValueOrClose:
        if (byte === CLOSE_ARRAY) return this.#close(byte, at);
        return this.#beginValue(chunk, at, byte);
      case Due.Nothing:
        if (!this.#hasLineBreak) throw JsonSyntaxError.unexpected(byte, this.#base + at);
        return this.#beginValue(chunk, at, byte);
      case Due.Value:
        return this.#beginValue(chunk, at, byte);
    }
  }

  #beginValue(chunk: Uint8Array, at: number, byte: number): number {
    const kind = kindOfFirstByte(byte);
    if (kind === undefined) throw JsonSyntaxError.unexpected(byte, this.#base + at);
    const isEntered = this.#visitor.begin(kind, this.#base + at);
    if (isContainer(kind)) {
      if (isEntered) {
        this.#isInObject = kind === "object";
        this.#open.push(this.#isInObject);
        this.#due = this.#isInObject ? Due.KeyOrClose : Due.ValueOrClose;
        return at + 1;
      }
      this.#skip.begin();
      return this.#continueSkip(chunk, at + 1);
    }
    if (kind === "string") {
      this.#isKey = false;
      this.#string.begin();
      return this.#continueString(chunk, at + 1);
    }
    this.#scalar = beginScalar(byte);
    return this.#continueScalar(chunk, at + 1);
  }

  #close(byte: number, at: number): number {
    const closing = this.#isInObject ? CLOSE_OBJECT : CLOSE_ARRAY;
    if (this.#due === Due.Key || byte !== closing) {
      throw JsonSyntaxError.unexpected(byte, this.#base + at);
    }
    this.#open.pop();
    this.#isInObject = this.#open[this.#open.length - 1] ?? false;
    this.#endValue(this.#base + at + 1);
    return at + 1;
  }

  #endValue(end: number): void {
    this.#due = this.#open.length === 0 ? Due.Nothing : Due.CommaOrClose;
    this.#hasLineBreak = false;
    this.#visitor.end(end);
  }

  #continueSkip(chunk: Uint8Array, from: number): number {
    const at = this.#skip.skip(chunk, from);
    if (!this.#skip.isOpen) this.#endValue(this.#base + at);
    return at;
  }

  #continueString(chunk: Uint8Array, from: number): number {
    const at = this.#string.scan(chunk, from, this.#base);
    const isClosed = !this.#string.isOpen;
    if (!this.#isKey) {
      if (isClosed) this.#endValue(this.#base + at);
      return at;
    }
    if (!isClosed) {
      if (this.#isKeyKept) this.#key.add(chunk, from, at);
      return at;
    }
    // A colon nearly always follows a key directly.
    const isColonNext = chunk[at] === COLON;
    this.#due = isColonNext ? Due.Value : Due.Colon;
    const raw = this.#isKeyKept ? this.#key.take(chunk, from, at - 1) : undefined;
    this.#visitor.key(raw, this.#keyStart, this.#base + at - 1);
    return isColonNext ? at + 1 : at;
  }

  #continueScalar(chunk: Uint8Array, from: number): number {
    let state = this.#scalar;
    let at = from;
    while (at < chunk.length) {
      const next = nextScalarState(state, chunk[at] as number);
      if (next === NO_SCALAR) break;
      state = next;
      at += 1;
    }
    this.#scalar = state;
    if (at < chunk.length) this.#endScalar(this.#base + at, chunk[at]);
    return at;
  }

  /** @param byte - The byte that does not belong to the scalar; none at the end of the text. */
  #endScalar(offset: number, byte?: number): void {
    if (!isCompleteScalar(this.#scalar)) {
      throw byte === undefined
        ? JsonSyntaxError.cutShort(offset)
        : JsonSyntaxError.unexpected(byte, offset);
    }
    this.#scalar = NO_SCALAR;
    this.#endValue(offset);
  }
}
