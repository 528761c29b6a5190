import { formatPointer } from "../json/json-pointer.js";
import { unescapeJson } from "../json/json-strings.js";
import type { ContentSample } from "./content-kind.js";
import type { ScannedString } from "./json-scan.js";
import { countLines } from "../text/plain-text.js";
import { FULL_TEXT_CHARS } from "./line-scanner.js";
import { takeEnd } from "../text/surrogates.js";

/** How many places in a value are visited, and how many may be queued. */
const MOST_PLACES = 20_000;
const MOST_WAITING = 2_000;
const START_CHARS = 49_152;
const END_CHARS = 8_192;

/** A long text inside a JSON value and the pointer that leads to it. */
export interface EmbeddedText {
  readonly pointer: string;
  readonly text: string;
}

/** The place of a value; a pointer is made only for the one that is chosen. */
interface Place {
  readonly value: unknown;
  readonly key: string;
  readonly parent: Place | undefined;
}

/** The longest string in a parsed value, looked for in a bounded number of places. */
export function longestText(value: unknown): EmbeddedText | undefined {
  let longest: { readonly text: string; readonly place: Place } | undefined;
  const queue: Place[] = [{ value, key: "", parent: undefined }];
  for (let at = 0; at < queue.length && at < MOST_PLACES; at += 1) {
    const place = queue[at] as Place;
    const { value: inner } = place;
    if (typeof inner === "string") {
      if (inner.length > (longest?.text.length ?? 0)) longest = { text: inner, place };
    } else if (typeof inner === "object" && inner !== null) {
      const room = at + 1 + MOST_WAITING;
      if (queue.length >= room) continue;
      const values = inner as Readonly<Record<string, unknown>>;
      for (const key of Object.keys(inner)) {
        if (queue.length >= room) break;
        const next = values[key];
        if (typeof next !== "string" && typeof next !== "object") continue;
        queue.push({ value: next, key, parent: place });
      }
    }
  }
  return longest && { pointer: formatPointer(keysTo(longest.place)), text: longest.text };
}

function keysTo({ key, parent }: Place): string[] {
  return parent === undefined ? [] : [...keysTo(parent), key];
}

/** A long string in scanned JSON as content of its own, unescaped. */
export function sampleOfString(json: string, found: ScannedString): ContentSample {
  const length = found.end - found.start;
  if (length <= FULL_TEXT_CHARS || !found.closed) {
    // If the end is missing, only what was seen is described; the caller says so.
    const end = Math.min(found.end, found.start + FULL_TEXT_CHARS);
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
  // The tail must not start inside an escape; after a line feed it cannot.
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
