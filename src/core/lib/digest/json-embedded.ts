import { unescapeJson } from "../json/json-unescape.js";
import type { ContentSample } from "./content-kind.js";
import type { ScannedString } from "./json-scan.js";
import { countLines } from "../text/count-lines.js";
import { WHOLE_VIEW_CHARS } from "./line-scanner.js";
import { takeEnd } from "../text/surrogates.js";

const START_CHARS = 49_152;
const END_CHARS = 8_192;

/** A long text inside a JSON value and the pointer that leads to it. */
export interface EmbeddedText {
  readonly pointer: string;
  readonly text: string;
}

/** The longest string in a parsed value, looked for in a bounded number of places. */
export function longestText(value: unknown): EmbeddedText | undefined {
  let longest: EmbeddedText | undefined;
  let left = 20_000;
  const queue: { readonly value: unknown; readonly pointer: string }[] = [{ value, pointer: "" }];
  for (let item = queue.shift(); item !== undefined && left > 0; item = queue.shift()) {
    left -= 1;
    if (typeof item.value === "string") {
      if (item.value.length > (longest?.text.length ?? 0)) {
        longest = { pointer: item.pointer, text: item.value };
      }
    } else if (typeof item.value === "object" && item.value !== null && queue.length < 2_000) {
      for (const [key, inner] of Object.entries(item.value)) {
        if (queue.length >= 2_000) break;
        if (typeof inner !== "string" && typeof inner !== "object") continue;
        const step = key.replace(/~/g, "~0").replace(/\//g, "~1");
        queue.push({ value: inner, pointer: `${item.pointer}/${step}` });
      }
    }
  }
  return longest;
}

/** A long string of a scanned JSON text as a content of its own, its escapes resolved. */
export function sampleOfString(json: string, found: ScannedString): ContentSample {
  const length = found.end - found.start;
  if (length <= WHOLE_VIEW_CHARS || !found.closed) {
    // Where the end is missing, what was seen stands for itself; the caller says so.
    const end = Math.min(found.end, found.start + WHOLE_VIEW_CHARS);
    const head = unescapeJson(json.slice(found.start, end));
    return {
      head,
      tail: "",
      tailLine: 1,
      chars: head.length,
      lines: countLines(head),
      complete: true,
    };
  }
  const head = unescapeJson(json.slice(found.start, found.start + START_CHARS));
  let tailStart = found.end - END_CHARS;
  const feed = nextEscapedFeed(json, tailStart, found.end);
  // A start inside an escape would read wrong characters; behind a line feed it cannot be.
  tailStart = feed === -1 ? found.end : feed + 2;
  const tail = unescapeJson(json.slice(tailStart, found.end));
  let feeds = 0;
  for (let at = nextEscapedFeed(json, found.start, found.end); at !== -1; feeds += 1) {
    at = nextEscapedFeed(json, at + 2, found.end);
  }
  const lines = feeds + (takeEnd(tail, 1) === "\n" ? 0 : 1);
  const tailLine = lines - countLines(tail) + 1;
  return { head, tail, tailLine, chars: length, lines, complete: false };
}

/** Index of the next `\n` escape whose backslash is not itself escaped. */
function nextEscapedFeed(json: string, from: number, end: number): number {
  for (
    let at = json.indexOf("\\n", from);
    at !== -1 && at < end;
    at = json.indexOf("\\n", at + 1)
  ) {
    let slashes = 0;
    while (at - slashes > 0 && json.charCodeAt(at - slashes - 1) === 92) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}
