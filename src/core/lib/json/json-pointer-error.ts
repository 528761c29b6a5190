/** How far a pointer led, and what is there. */
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

/** A JSON pointer leads nowhere. */
export class JsonPointerError extends Error {
  constructor(
    readonly pointer: string,
    readonly reach: PointerReach,
  ) {
    super(`there is no value at "${pointer}"`);
    this.name = "JsonPointerError";
  }
}
