import { isHexDigit, LINE_FEED, SPACE } from "../text/code-units.js";

/** Bytes that are not JSON. */
export class JsonSyntaxError extends Error {
  constructor(
    /** What is wrong, without the place. */
    readonly reason: string,
    /** The first byte that cannot be part of a JSON text; the length of the text if it ends early. */
    readonly offset: number,
    /** True if it is JSON so far, but nested too deep. */
    readonly isTooDeep = false,
  ) {
    super(`${reason} at byte ${offset}`);
    this.name = "JsonSyntaxError";
  }

  static unexpected(byte: number, offset: number): JsonSyntaxError {
    const isPrintable = byte > 0x20 && byte < 0x7f;
    const shown = isPrintable
      ? JSON.stringify(String.fromCharCode(byte))
      : `byte 0x${byte.toString(16).padStart(2, "0")}`;
    return new JsonSyntaxError(`unexpected ${shown}`, offset);
  }

  static cutShort(offset: number): JsonSyntaxError {
    return new JsonSyntaxError("unexpected end", offset);
  }
}

/** The bytes that JSON's grammar consists of. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_ARRAY = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

export function isWhitespace(byte: number): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === 0x0d || byte === 0x09;
}

/** 1 for a byte that needs no escape in a string: not a quote, a backslash or a control character. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);
/** 1 for a byte that completes an escape after a backslash. */
const SIMPLE_ESCAPE = new Uint8Array(256);
for (const char of '"\\/bfnrt') SIMPLE_ESCAPE[char.charCodeAt(0)] = 1;
/** The letter after the backslash in `\u0041`. */
export const UNICODE_ESCAPE = 0x75;

const AFTER_BACKSLASH = 5;

/** Finds the end of a string and checks its escapes, over as many chunks as it takes. */
export class JsonStringScan {
  /** True from `begin` until the closing quote was seen. */
  isOpen = false;
  /** 5 after a backslash, 4 to 1 while that many digits of a \u escape are still to come, else 0. */
  #escape = 0;

  begin(): void {
    this.isOpen = true;
  }

  /**
   * Continues at `from`; returns the index after the closing quote, or the chunk's length.
   * @param base - Where the chunk begins in the source, for errors.
   */
  scan(chunk: Uint8Array, from: number, base: number): number {
    const { length } = chunk;
    let at = from;
    while (at < length) {
      if (this.#escape > 0) {
        this.#stepEscape(chunk[at] as number, base + at);
        at += 1;
        continue;
      }
      for (;;) {
        while (at < length && PLAIN[chunk[at] as number] === 1) at += 1;
        const isSimple = chunk[at] === BACKSLASH && SIMPLE_ESCAPE[chunk[at + 1] ?? 0] === 1;
        if (!isSimple) break;
        at += 2;
      }
      if (at === length) break;
      const byte = chunk[at] as number;
      if (byte === BACKSLASH) this.#escape = AFTER_BACKSLASH;
      else if (byte !== QUOTE) throw JsonSyntaxError.unexpected(byte, base + at);
      else {
        this.isOpen = false;
        return at + 1;
      }
      at += 1;
    }
    return at;
  }

  #stepEscape(byte: number, offset: number): void {
    const isRight =
      this.#escape < AFTER_BACKSLASH
        ? isHexDigit(byte)
        : byte === UNICODE_ESCAPE || SIMPLE_ESCAPE[byte] === 1;
    if (!isRight) throw JsonSyntaxError.unexpected(byte, offset);
    const isDone = this.#escape === AFTER_BACKSLASH && byte !== UNICODE_ESCAPE;
    this.#escape = isDone ? 0 : this.#escape - 1;
  }
}

/**
 * Numbers, `true`, `false` and `null` as one transition table: one look-up per byte, and a scan can
 * be interrupted at any byte.
 */

/** The byte does not belong to the scalar. */
export const NO_SCALAR = 0;
const START = 1;
const MINUS = 2;
const ZERO = 3;
const INTEGER = 4;
const POINT = 5;
const FRACTION = 6;
const EXPONENT = 7;
const EXPONENT_SIGN = 8;
const EXPONENT_DIGITS = 9;
const WORD_END = 10;
const FIRST_WORD_STATE = 11;

const WORDS = ["true", "false", "null"];
const STATES = FIRST_WORD_STATE + WORDS.join("").length;

const table = new Uint8Array(STATES * 256);

function go(from: number, bytes: string, to: number): void {
  for (const char of bytes) table[from * 256 + char.charCodeAt(0)] = to;
}

const NON_ZERO = "123456789";
const DIGITS = `0${NON_ZERO}`;
go(START, "-", MINUS);
for (const from of [START, MINUS]) {
  go(from, "0", ZERO);
  go(from, NON_ZERO, INTEGER);
}
go(INTEGER, DIGITS, INTEGER);
for (const from of [ZERO, INTEGER]) go(from, ".", POINT);
for (const from of [POINT, FRACTION]) go(from, DIGITS, FRACTION);
for (const from of [ZERO, INTEGER, FRACTION]) go(from, "eE", EXPONENT);
go(EXPONENT, "+-", EXPONENT_SIGN);
for (const from of [EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS]) go(from, DIGITS, EXPONENT_DIGITS);

let free = FIRST_WORD_STATE;
for (const word of WORDS) {
  let from = START;
  for (let index = 0; index < word.length; index += 1) {
    const to = index === word.length - 1 ? WORD_END : free++;
    go(from, word.charAt(index), to);
    from = to;
  }
}

/** The state that the first byte of a scalar leads to; `NO_SCALAR` when none begins so. */
export function beginScalar(byte: number): number {
  return table[START * 256 + byte] as number;
}

/** The state after one more byte; `NO_SCALAR` when the byte does not belong to the scalar. */
export function nextScalarState(state: number, byte: number): number {
  return table[state * 256 + byte] as number;
}

/** True when the scalar may end in this state. */
export function isCompleteScalar(state: number): boolean {
  return (
    state === ZERO ||
    state === INTEGER ||
    state === FRACTION ||
    state === EXPONENT_DIGITS ||
    state === WORD_END
  );
}

/** A bracket and a brace differ only in this bit, so one test covers both. */
export const BRACE_BIT = 0x20;

/**
 * Skips everything up to the matching closing bracket as fast as possible: it knows strings and
 * nesting, and checks nothing else. Any depth, no stack.
 */
export class JsonSkip {
  #depth = 0;
  #isInString = false;
  /** True if the last chunk ended with a backslash, so that the first byte of the next one is escaped. */
  #isEscaped = false;

  /** True from `begin` until the matching closing bracket. */
  get isOpen(): boolean {
    return this.#depth > 0;
  }

  /** The opening bracket was just passed. */
  begin(): void {
    this.#depth = 1;
  }

  /** Continues at `from`; returns the index after the closing bracket, or the chunk's length. */
  skip(chunk: Uint8Array, from: number): number {
    const { length } = chunk;
    let at = this.#isInString ? this.#skipString(chunk, from) : from;
    let depth = this.#depth;
    while (at < length) {
      const byte = chunk[at] as number;
      at += 1;
      if (byte === QUOTE) {
        this.#isInString = true;
        at = this.#skipString(chunk, at);
        continue;
      }
      const brace = byte | BRACE_BIT;
      if (brace === OPEN_OBJECT) depth += 1;
      else if (brace === CLOSE_OBJECT) {
        depth -= 1;
        if (depth === 0) break;
      }
    }
    this.#depth = depth;
    return at;
  }

  #skipString(chunk: Uint8Array, from: number): number {
    const { length } = chunk;
    let at = from;
    if (this.#isEscaped && at < length) {
      this.#isEscaped = false;
      at += 1;
    }
    while (at < length) {
      const byte = chunk[at] as number;
      at += 1;
      if (byte === QUOTE) {
        this.#isInString = false;
        return at;
      }
      if (byte === BACKSLASH) at += 1;
    }
    if (at > length) this.#isEscaped = true;
    return length;
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

/** No pointer names a longer key, and a hostile key must not fill the memory. */
const MAX_KEY_BYTES = 1 << 20;

/** Collects the bytes of a key, without quotes, which may come in several chunks. */
export class JsonKeyBytes {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** A part that ends with its chunk. */
  add(chunk: Uint8Array, from: number, to: number): void {
    this.#length += to - from;
    if (this.#length > MAX_KEY_BYTES) this.#parts = [];
    // A copy, which Buffer.slice would not make: the source may reuse its chunk.
    else this.#parts.push(new Uint8Array(chunk.subarray(from, to)));
  }

  /** The whole key, including its last part; valid until the chunk is reused; undefined if it is too long. */
  take(chunk: Uint8Array, from: number, to: number): Uint8Array | undefined {
    if (this.#length === 0) return to - from > MAX_KEY_BYTES ? undefined : chunk.subarray(from, to);
    this.add(chunk, from, to);
    const bytes = this.#length > MAX_KEY_BYTES ? undefined : new Uint8Array(this.#length);
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
      if (byte === LINE_FEED) this.#hasLineBreak = true;
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
