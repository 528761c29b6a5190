import { ByteOrderMark } from "./byte-order-mark.js";
import { ByteSink } from "./byte-sink.js";
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isWhitespace,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from "./json-bytes.js";
import { beginScalar, isCompleteScalar, nextScalarState, NO_SCALAR } from "./json-scalar-table.js";
import { JsonStringScan } from "./json-string-scan.js";
import { JsonSyntaxError } from "./json-syntax-error.js";

/** Indentation makes deep nesting quadratic in its output, so there is a floor. */
const MOST_LEVELS = 512;

/** Takes a JSON text in pieces and gives it back in pieces, indented by two. */
export interface JsonIndenter {
  /** The next bytes of the text; returns what can be said of them. */
  push(chunk: Uint8Array): Uint8Array;
  /** No more bytes will come; refuses a text that is not complete. */
  end(): Uint8Array;
}

/**
 * Checks a JSON text and lays it out as `JSON.stringify(value, null, 2)` would, but never reads a
 * string or a number: `1.0`, `1e5`, twenty digits and every escape stay as they came. A byte order
 * mark is dropped. Throws `JsonSyntaxError` at the first byte that is wrong.
 */
export function createJsonIndenter(): JsonIndenter {
  return new Indenter();
}

const enum Due {
  Value,
  ValueOrClose,
  Key,
  KeyOrClose,
  Colon,
  CommaOrClose,
  Nothing,
}

class Indenter implements JsonIndenter {
  readonly #out = new ByteSink(4096);
  readonly #mark = new ByteOrderMark();
  readonly #string = new JsonStringScan();
  /** For each open container 1 when it is an object. */
  readonly #isObject = new Uint8Array(MOST_LEVELS + 1);
  #level = 0;
  #due = Due.Value;
  #scalar = NO_SCALAR;
  #isKey = false;
  /** Where the chunk at hand begins in the text. */
  #base = 0;

  push(chunk: Uint8Array): Uint8Array {
    let at = this.#mark.skip(chunk, this.#base);
    while (at < chunk.length) {
      if (this.#string.isOpen) at = this.#continueString(chunk, at, at);
      else if (this.#scalar !== NO_SCALAR) at = this.#continueScalar(chunk, at, at);
      else {
        const byte = chunk[at] as number;
        if (byte > SPACE || !isWhitespace(byte)) at = this.#token(chunk, at, byte);
        else at += 1;
      }
    }
    this.#base += chunk.length;
    return this.#out.take();
  }

  end(): Uint8Array {
    if (this.#scalar !== NO_SCALAR) this.#endScalar(this.#base);
    if (this.#due !== Due.Nothing || this.#string.isOpen)
      throw JsonSyntaxError.cutShort(this.#base);
    return this.#out.take();
  }

  #token(chunk: Uint8Array, at: number, byte: number): number {
    switch (byte) {
      case COMMA:
        if (this.#due !== Due.CommaOrClose) break;
        this.#out.byte(COMMA);
        this.#out.line(this.#level);
        this.#due = this.#isObject[this.#level] === 1 ? Due.Key : Due.Value;
        return at + 1;
      case COLON:
        if (this.#due !== Due.Colon) break;
        this.#out.byte(COLON);
        this.#out.byte(SPACE);
        this.#due = Due.Value;
        return at + 1;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (!this.#beginValue()) break;
        this.#open(byte, at);
        return at + 1;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        if (!this.#close(byte)) break;
        return at + 1;
      case QUOTE:
        this.#isKey = this.#beginKey();
        if (!this.#isKey && !this.#beginValue()) break;
        this.#string.begin();
        return this.#continueString(chunk, at, at + 1);
      default: {
        const state = beginScalar(byte);
        if (state === NO_SCALAR || !this.#beginValue()) break;
        this.#scalar = state;
        return this.#continueScalar(chunk, at, at + 1);
      }
    }
    throw JsonSyntaxError.unexpected(byte, this.#base + at);
  }

  /** False where no value may stand; the first one of an array begins a line. */
  #beginValue(): boolean {
    if (this.#due === Due.ValueOrClose) this.#out.line(this.#level);
    return this.#due === Due.Value || this.#due === Due.ValueOrClose;
  }

  #beginKey(): boolean {
    if (this.#due === Due.KeyOrClose) this.#out.line(this.#level);
    return this.#due === Due.Key || this.#due === Due.KeyOrClose;
  }

  #open(byte: number, at: number): void {
    if (this.#level === MOST_LEVELS) {
      throw new JsonSyntaxError(`nested deeper than ${MOST_LEVELS}`, this.#base + at, true);
    }
    this.#out.byte(byte);
    this.#level += 1;
    const isObject = byte === OPEN_OBJECT;
    this.#isObject[this.#level] = isObject ? 1 : 0;
    this.#due = isObject ? Due.KeyOrClose : Due.ValueOrClose;
  }

  #close(byte: number): boolean {
    const isObject = byte === CLOSE_OBJECT;
    const isEmpty = this.#due === (isObject ? Due.KeyOrClose : Due.ValueOrClose);
    const isFull = this.#due === Due.CommaOrClose && this.#isObject[this.#level] === +isObject;
    if (!isEmpty && !isFull) return false;
    this.#level -= 1;
    if (isFull) this.#out.line(this.#level);
    this.#out.byte(byte);
    this.#endValue();
    return true;
  }

  #endValue(): void {
    this.#due = this.#level === 0 ? Due.Nothing : Due.CommaOrClose;
  }

  #continueString(chunk: Uint8Array, from: number, scanFrom: number): number {
    const at = this.#string.scan(chunk, scanFrom, this.#base);
    this.#out.run(chunk, from, at);
    if (this.#string.isOpen) return at;
    if (this.#isKey) this.#due = Due.Colon;
    else this.#endValue();
    return at;
  }

  #continueScalar(chunk: Uint8Array, from: number, scanFrom: number): number {
    let state = this.#scalar;
    let at = scanFrom;
    while (at < chunk.length) {
      const next = nextScalarState(state, chunk[at] as number);
      if (next === NO_SCALAR) break;
      state = next;
      at += 1;
    }
    this.#scalar = state;
    this.#out.run(chunk, from, at);
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
    this.#endValue();
  }
}
