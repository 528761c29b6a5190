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
