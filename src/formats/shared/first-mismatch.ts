import { describeValue } from "../../core/errors/describe-value.js";
import { isRecord, type JsonRecord } from "./json-record.js";

/** Says which message is the first that does not fit, and why; `undefined` if all of them fit. */
export function firstMismatch(
  messages: readonly unknown[],
  whyNot: (message: JsonRecord) => string | undefined,
): string | undefined {
  for (const [index, message] of messages.entries()) {
    const why = isRecord(message) ? whyNot(message) : describeNonRecord(message);
    if (why !== undefined) return `message ${index} ${why}`;
  }
  return undefined;
}

function describeNonRecord(value: unknown): string {
  return typeof value === "string"
    ? "is a line of text, not an object"
    : `is ${describeValue(value)}, not an object`;
}
