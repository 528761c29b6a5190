/**
 * A value inside a wrapper, read on demand from the text that holds it. A text that was cut short is
 * read as far as it goes.
 */
export interface WrappedValue {
  readonly kind: "string" | "object" | "array" | "other";
  /** The value as it is written. */
  readonly source: string;
  /** The text of a string; throws `NotWrappedError` if it is malformed. */
  text(): string;
  /** The members of an object, or the items of an array by index. */
  entries(): Iterable<readonly [string, WrappedValue]>;
}

/** A text is not the wrapper that it begins like. */
export class NotWrappedError extends Error {
  constructor() {
    super("not a wrapper");
    this.name = "NotWrappedError";
  }
}
