import { ByteOrderMark } from "./byte-stream.js";
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isWhitespace,
  JsonStringScan,
  NEWLINE,
  QUOTE,
  SPACE,
} from "./json-strings.js";
import { JsonKeyBytes } from "./json-keys.js";
import { isContainer, kindOfFirstByte, type JsonKind } from "./json-layout.js";
import { beginScalar, isCompleteScalar, nextScalarState, NO_SCALAR } from "./json-characters.js";
import { JsonSkip } from "./json-skip.js";
import { JsonSyntaxError } from "./json-errors.js";

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
