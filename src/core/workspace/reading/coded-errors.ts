import { InvalidArgumentError, OutOfRangeError } from "../../errors/argument-errors.js";
import { NotJsonError, PointerNotFoundError } from "../../errors/json-errors.js";
import { ReadFailedError } from "../../errors/storage-errors.js";
import { ArgumentError } from "../../lib/argument-error.js";
import { JsonPointerError, JsonSyntaxError } from "../../lib/json/json-errors.js";
import { ShortSourceError } from "../../lib/text/byte-source.js";
import { TextRangeError } from "../../lib/text/text-range.js";

/** Converts an error of the general library to this package's own; any other error is returned unchanged. */
export function toCodedError(error: unknown): unknown {
  if (error instanceof ArgumentError) {
    return new InvalidArgumentError(error.argument, error.received, error.expected);
  }
  if (error instanceof TextRangeError) return new OutOfRangeError(error.range);
  if (error instanceof JsonPointerError) {
    return new PointerNotFoundError(error.pointer, error.reach);
  }
  if (error instanceof JsonSyntaxError) {
    return new NotJsonError(error.offset, error.reason, { cause: error });
  }
  if (error instanceof ShortSourceError) {
    return new ReadFailedError(`the stored bytes ${error.start} to ${error.end}`, error);
  }
  return error;
}
