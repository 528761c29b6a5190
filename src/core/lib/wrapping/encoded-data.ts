import { formatCount } from "../digest/printable.js";
import type { WrappedValue } from "./wrapped-value.js";

/** Shorter data is shown as it is. */
const MIN_CHARS = 256;
const DATA_KEYS = new Set(
  "data blob bytes base64 b64_json body image image_data file_data signature".split(" "),
);
const MOST_LEVELS = 3;
const MOST_MEMBERS = 16;

/**
 * Images, audio and other encoded data in one line, since reading them as text is of no use; the raw
 * view has them in full. `undefined` for any other string.
 */
export function describeEncoded(key: string, source: string): string | undefined {
  if (source.length < MIN_CHARS) return undefined;
  const inside = source.slice(1, -1);
  const [lead = "", type = ""] = /^data:([\w.+/-]{0,80})[^,]{0,80};base64,/.exec(inside) ?? [];
  if (lead === "" && !DATA_KEYS.has(key)) return undefined;
  const data = inside.slice(lead.length).replaceAll("\\/", "/");
  // Line breaks, which some encoders add, are escaped here.
  if (!/^[A-Za-z0-9+/_=-]*(?:\\[nr][A-Za-z0-9+/_=\\-]*)?$/.test(data)) return undefined;
  const size = `${formatCount(data.length)} characters of base64`;
  return type === "" ? size : `${type}, ${size}`;
}

/** Whether a value holds encoded data, not too deep inside. */
export function holdsEncoded(value: WrappedValue, level = 0): boolean {
  if (value.kind !== "object" || level === MOST_LEVELS || value.source.length < MIN_CHARS)
    return false;
  let seen = 0;
  for (const [key, member] of value.entries()) {
    if (seen++ === MOST_MEMBERS) return false;
    if (member.kind === "string" && describeEncoded(key, member.source) !== undefined) return true;
    if (holdsEncoded(member, level + 1)) return true;
  }
  return false;
}
