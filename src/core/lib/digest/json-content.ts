import type { SampledText } from "./sampled-text.js";

/** JSON up to this length is parsed as a whole. */
const PARSED_CHARS = 32_768;
/** Of a longer one, this much of its start. */
const STARTED_CHARS = 12_288;

export interface JsonContent {
  readonly value: unknown;
  /** The value is what the start holds: the rest was not read, or is not JSON. */
  readonly isStart: boolean;
  /** The arrays and objects in the value whose end was not read: each may hold more. */
  readonly unfinished: ReadonlySet<object>;
  /** Whether the whole is one JSON value, as far as can be told without reading all of it. */
  readonly isJson: boolean;
}

/** The content as a JSON value, or what its start holds, or undefined if it does not begin like JSON. */
export function readJson({ text, chars, whole }: SampledText): JsonContent | undefined {
  const start = firstInk(text);
  const opening = text.charAt(start);
  if (opening !== "{" && opening !== "[") return undefined;
  if (text.length <= PARSED_CHARS && text.length >= chars - 1) {
    const value = parseOrUndefined(start === 0 ? text : text.slice(start));
    if (value !== undefined) return { value, isStart: false, unfinished: new Set(), isJson: true };
  }
  const started = parseStart(text.slice(start, start + STARTED_CHARS));
  if (started === undefined) return undefined;
  const closing = text.slice(-64).trimEnd();
  const isClosed = closing.endsWith(opening === "{" ? "}" : "]");
  return { ...started, isStart: true, isJson: isClosed && !whole };
}

function firstInk(text: string): number {
  let at = 0;
  const most = Math.min(text.length, 256);
  while (at < most && (text.charCodeAt(at) <= 32 || text.charCodeAt(at) === 0xfeff)) at += 1;
  return at;
}

/** What JSON holds that was cut off: everything before the last comma, with all brackets closed. */
function parseStart(text: string): Pick<JsonContent, "value" | "unfinished"> | undefined {
  const closers: string[] = [];
  /** Where the string before each opening bracket begins: in an object, the key of what it opens. */
  const keys: number[] = [];
  let string = 0;
  let depth = 0;
  let cut = 0;
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      string = at;
      at = endOfString(text, at + 1);
    } else if (code === 123 || code === 91) {
      closers[depth] = code === 123 ? "}" : "]";
      keys[depth] = string;
      depth += 1;
    } else if (code === 125 || code === 93) {
      depth -= 1;
      // A complete value with something behind it: one value a line, or not JSON at all.
      if (depth <= 0) return undefined;
    } else if (code === 44) {
      cut = at;
      open = depth;
    }
  }
  // No element can have begun since the last comma, so what is noted for its depth still holds.
  const ending = closers.slice(0, open).reverse().join("");
  const value = cut === 0 ? undefined : parseOrUndefined(text.slice(0, cut) + ending);
  if (value === undefined) return undefined;
  return { value, unfinished: lastContainers(value, text, keys.slice(0, open)) };
}

/** The value and the last array or object inside it, and so on, one for each key. */
function lastContainers(value: unknown, text: string, keys: readonly number[]): Set<object> {
  const containers = new Set<object>();
  let item = value;
  for (const [level, key] of keys.entries()) {
    // The last key of an object need not be the last one in the text: numbers come first.
    if (Array.isArray(item) && level > 0) item = item.at(-1);
    else if (level > 0) item = (item as Record<string, unknown>)[stringAt(text, key)];
    if (typeof item !== "object" || item === null) break;
    containers.add(item);
  }
  return containers;
}

function stringAt(text: string, at: number): string {
  return String(parseOrUndefined(text.slice(at, endOfString(text, at + 1) + 1)));
}

/** The position of the quotation mark that ends a string. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 92) at += 1;
    else if (code === 34) return at;
  }
  return text.length;
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
