import type { PointerReach } from "../lib/json/json-errors.js";
import { ContextOffloadError } from "./context-offload-error.js";
import { quote } from "../lib/text/quote.js";

/** Content was queried as JSON, but is not JSON. */
export class NotJsonError extends ContextOffloadError {
  readonly code = "NOT_JSON";

  constructor(
    /** The byte at which it stops being JSON, from 0. */
    readonly offset: number,
    /** What is wrong there. */
    readonly reason: string,
    options?: { cause?: unknown },
  ) {
    super(
      `The content is not JSON: ${reason} at byte ${offset}. ` +
        `It cannot be read by pointer; read it by lines or search it with a pattern instead.`,
      options,
    );
  }
}

const SHOWN_KEY_CHARS = 80;

/** There is no value at a JSON pointer. */
export class PointerNotFoundError extends ContextOffloadError {
  readonly code = "POINTER_NOT_FOUND";

  constructor(
    readonly pointer: string,
    readonly reach: PointerReach,
  ) {
    const place = reach.reached === "" ? "The whole content" : quote(reach.reached);
    super(`There is no value at ${quote(pointer)}. ${place} is ${describeReach(reach)}.`);
  }
}

function describeReach({ kind, keys, length }: PointerReach): string {
  if (keys !== undefined) {
    if (keys.length === 0) return "an object without keys";
    const shown = keys.map((key) => quote(key, SHOWN_KEY_CHARS)).join(", ");
    const of = length !== undefined && length > keys.length ? ` (${keys.length} of ${length})` : "";
    return `an object with the keys ${shown}${of}`;
  }
  if (length !== undefined) {
    if (length === 0) return "an empty array";
    return `an array of ${length}, whose items have the indices 0 to ${length - 1}`;
  }
  return kind === "null" ? "null" : `a ${kind}, which has no members`;
}
