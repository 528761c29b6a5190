import { quote, shorten } from "../lib/text/quote.js";

const SHOWN_CHARS = 60;

/** Describes a wrong value for an error message, quoting only a short part of it. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "undefined";
  if (value === null) return "null";
  if (typeof value === "string") {
    if (value === "") return "an empty string";
    return `the string ${quote(value, SHOWN_CHARS)}`;
  }
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object") return `an object with keys ${listKeys(value)}`;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") {
    return `the ${typeof value} ${shorten(String(value))}`;
  }
  return `a ${typeof value}`;
}

function listKeys(value: object): string {
  const keys = Object.keys(value);
  const shown = keys.slice(0, 5).map((key) => quote(key, SHOWN_CHARS));
  return `[${shown.join(", ")}${keys.length > shown.length ? ", …" : ""}]`;
}

/** The message of whatever was thrown; libraries throw strings and plain objects too. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown === "object" && thrown !== null) {
    const { message } = thrown as { message?: unknown };
    return typeof message === "string" ? message : "an object without a message was thrown";
  }
  return String(thrown);
}
