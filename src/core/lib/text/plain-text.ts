import { LINE_FEED, scanBytes } from "./scan-bytes.js";

/** Number of line feeds in `text` from `start` up to `end`. */
export function countLineFeeds(text: string, start = 0, end = text.length): number {
  let count = 0;
  for (let at = text.indexOf("\n", start); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) {
    count += 1;
  }
  return count;
}

/** Lines end with a line feed, which the last one may lack; "" has no lines. */
export function countLines(text: string): number {
  return countLineFeeds(text) + (text === "" || text.endsWith("\n") ? 0 : 1);
}

/** The same for the bytes of a text. */
export function countLinesOfBytes(bytes: Uint8Array): number {
  const last = bytes.at(-1);
  return scanBytes(bytes).breaks + (last === undefined || last === LINE_FEED ? 0 : 1);
}

/** The value if it is a non-empty string. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
