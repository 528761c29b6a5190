import { takeStart, takeEnd } from "./code-units.js";

/** The most that a message repeats of a value: ids, pointers and patterns can be megabytes long. */
const MAX_QUOTED_CHARS = 200;
const PATH_END_CHARS = 140;

/** A value in a message, as JSON. */
export function quote(value: string, maxChars = MAX_QUOTED_CHARS): string {
  return JSON.stringify(shorten(value, maxChars));
}

/** The first of many values, as JSON. */
export function quoteSome(values: readonly string[], most: number): string {
  const shown = values.slice(0, most).map((value) => quote(value));
  return (values.length > most ? [...shown, "…"] : shown).join(", ");
}

/** The start of a value that may be long. */
export function shorten(value: string, maxChars = MAX_QUOTED_CHARS): string {
  return value.length > maxChars ? `${takeStart(value, maxChars)}…` : value;
}

/** A path without its middle if it is long: its end tells more than its start. */
export function shortenPath(path: string): string {
  if (path.length <= MAX_QUOTED_CHARS) return path;
  const start = takeStart(path, MAX_QUOTED_CHARS - PATH_END_CHARS - 1);
  return `${start}…${takeEnd(path, PATH_END_CHARS)}`;
}
