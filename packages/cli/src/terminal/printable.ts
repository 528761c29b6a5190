/**
 * What content, ids, names of files and settings may hold, and a terminal must not get: control characters, of which
 * sequences are made, and those that change the direction of a text. Tabs and line breaks are text.
 */
const CONTROLS =
  "\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069";
/** A color of ours has a number in it that nobody else knows, so that it is not taken for one in the content. */
const SECRET = Array.from(
  crypto.getRandomValues(new Uint16Array(2)),
  (random) => 1_000 + (random % 9_000),
).join(";");
const OWN_COLOR = `\\u001b\\[(\\d+);${SECRET}m`;
const HARMFUL = new RegExp(`${OWN_COLOR}|[${CONTROLS}]|\\r(?!\\n)`, "g");
const HARMFUL_IN_LINE = new RegExp(`${OWN_COLOR}|[${CONTROLS}\\r\\n\\t]`, "g");
const HARMFUL_IN_JSON = new RegExp(`[${CONTROLS}]`, "g");
const REPLACEMENT = "\ufffd";

/** A sequence that sets a color, until `printable` makes it one that a terminal knows. */
export function colorSequence(code: number): string {
  return `\u001b[${code};${SECRET}m`;
}

/** A text as it goes to a terminal or a pipe. */
export function printable(text: string): string {
  return text.replace(HARMFUL, (_, color?: string) =>
    color === undefined ? REPLACEMENT : `\u001b[${color}m`,
  );
}

/** A text that is to be part of a line; colors are kept as they are. */
export function inLine(text: string): string {
  return text.replace(HARMFUL_IN_LINE, (found, color?: string) =>
    color === undefined ? REPLACEMENT : found,
  );
}

/** JSON that means the same, and has none of these characters in it. */
export function printableJson(value: unknown, indent?: number): string {
  const escape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value, null, indent).replace(HARMFUL_IN_JSON, escape);
}
