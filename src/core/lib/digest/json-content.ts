import { parseExactly } from "../records/record-value.js";
import type { SampledText } from "./sampled-text.js";

/** How much of an array or object there is, where the value holds only a part of it. */
export interface Extent {
  /** All of its items or keys; those that were seen, if its end was not. */
  readonly count: number;
  readonly isEnded: boolean;
}

/** What a text holds as JSON. */
export interface JsonContent {
  readonly form: "JSON" | "JSON Lines" | "printed";
  /** An array or an object; several top-level values are an array. */
  readonly value: object;
  /** The containers of which `value` holds a part. */
  readonly extents: ReadonlyMap<object, Extent>;
  /** What surrounds it. */
  readonly before: string;
  readonly after: string;
  /** `cut`: the text ends before the JSON does; `ends`: what is between its start and its end was not read. */
  readonly reading: "whole" | "cut" | "ends";
}

/** Up to this length, every value is looked at. */
const WHOLE_CHARS = 131_072;
/** Up to this length, all is walked through, which takes a millisecond for a million characters. */
const WALKED_CHARS = 8_388_608;
const TAIL_CHARS = 65_536;
/** JSON may begin behind some lines of text. */
const PREFACE_CHARS = 4_096;
/** It is JSON if so much of it is. */
const MIN_SHARE = 0.5;
/** Of long text, the first items of an array are read and about so many more, evenly spaced. */
const FIRST_ITEMS = 24;
const FIRST_KEYS = 400;
const SPACED_ITEMS = 96;
/** Stands for what was left out, with its number. No text is thinned that has it already. */
const MARK = "\\u0000more ";
const PARSED_MARK = "\u0000more ";

/** What a text holds as JSON, to its end if it is not too long; `undefined` if it is something else. */
export function readJson({ text, chars, pieces }: SampledText): JsonContent | undefined {
  const start = startOf(text);
  if (start === undefined) return undefined;
  const before = text
    .slice(0, start)
    .replace(/^\ufeff/, "")
    .trim();
  const isAllThere = text.length >= chars - 1;
  if (isAllThere && text.length <= WHOLE_CHARS) {
    const value = start < text.length * MIN_SHARE ? parse(text.slice(start)) : undefined;
    if (isContainer(value)) {
      return { form: "JSON", value, extents: new Map(), before, after: "", reading: "whole" };
    }
    const rest = text.slice(start);
    return thinned(rest, before, "whole") ?? (before === "" ? printed(rest) : undefined);
  }
  if (isAllThere && text.length <= WALKED_CHARS) {
    return thinned(text.slice(start), before, "whole");
  }
  const last = pieces.at(-1)?.from ?? text.length;
  const headEnd = isAllThere ? text.length : (pieces.at(-2)?.to ?? last);
  const content = thinned(text.slice(start, Math.min(headEnd, WHOLE_CHARS)), before, "ends");
  if (content !== undefined) addMembers(content, text.slice(isAllThere ? -TAIL_CHARS : last));
  return content;
}

/** Where a value seems to begin: at the start, or at that of one of the first lines. */
function startOf(text: string): number | undefined {
  const opening = /^[^\S\n\r\u2028\u2029]*(?=(?:\{\s*["'}]|\[\s*(?:[[{"'\]\d-]|null|true|false)))/m;
  const preface = text.slice(0, PREFACE_CHARS).replace(/^\ufeff/, " ");
  const match = opening.exec(preface);
  return match === null ? undefined : match.index + match[0].length;
}

function parse(text: string): unknown {
  try {
    // Looking for other numbers that JavaScript would write differently would take longer than parsing.
    return /[:,[\s]-?\d{16}/.test(text) ? parseExactly(text) : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function thinned(
  text: string,
  before: string,
  reading: JsonContent["reading"],
): JsonContent | undefined {
  if (reading === "whole" && text.includes(MARK)) return undefined;
  const walked = thin(text);
  if (walked === undefined) return undefined;
  if (reading !== "ends" && walked.end < (before.length + text.length) * MIN_SHARE)
    return undefined;
  const value = parse(walked.json);
  if (!Array.isArray(value)) return undefined;
  const extents = takeMarks(value);
  const [first] = value as readonly unknown[];
  const isSole = value.length === 1 && isContainer(first);
  // A bracket that is not closed is JSON only if something follows it.
  if (walked.isCut && isSole && Object.keys(first).length === 0) return undefined;
  return {
    form: isSole ? "JSON" : "JSON Lines",
    value: isSole ? first : value,
    extents,
    before,
    after: text.slice(walked.end).trim(),
    reading: walked.isCut && reading === "whole" ? "cut" : reading,
  };
}

interface Walked {
  /** An array of the values, with marks for what was left out, and all brackets closed. */
  readonly json: string;
  /** Where the last value ends. */
  readonly end: number;
  readonly isCut: boolean;
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/**
 * The values of a text without most of the items of long lists. Knows strings and brackets and
 * nothing else: whether it is JSON is for the parser to say.
 */
function thin(text: string): Walked | undefined {
  const isLong = text.length > WHOLE_CHARS;
  const stride = text.length / SPACED_ITEMS;
  const parts: string[] = ["["];
  // The open containers, with one around all values.
  let list: OpenList = { bracket: OPEN_ARRAY, count: 0, kept: 0, keptAt: 0 };
  const outer: OpenList[] = [];
  let from = 0;
  /** What comes before this is JSON once its brackets are closed. */
  let safe = 0;
  let end = 0;
  /** An item begins. */
  const keeps = (at: number): boolean => {
    list.count += 1;
    const most = list.bracket === OPEN_OBJECT ? FIRST_KEYS : FIRST_ITEMS;
    if (isLong && list.kept >= most && at - list.keptAt < stride) return false;
    list.kept += 1;
    list.keptAt = at;
    return true;
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE && outer.length > 0) at = endOfString(text, at);
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (outer.length === 0) {
        if (end > 0 && !text.slice(end, at).includes("\n")) break;
        from = at;
        if (!keeps(at)) {
          at = endOfItem(text, at, true);
          // Without its last bracket it does not count.
          if (at === text.length) break;
          end = at + 1;
          continue;
        }
        if (end > 0) parts.push(",");
      }
      outer.push(list);
      list = { bracket: code, count: 0, kept: 0, keptAt: at };
      safe = at + 1;
      if (!isEmptyAt(text, at + 1)) keeps(at);
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      const parent = outer.pop();
      if (parent === undefined || list.bracket + 2 !== code) return undefined;
      if (list.kept < list.count) {
        parts.push(text.slice(from, at), markOf(list, true));
        from = at;
      }
      list = parent;
      safe = at + 1;
      if (outer.length > 0) continue;
      end = safe;
      parts.push(text.slice(from, end));
    } else if (code === COMMA && outer.length > 0) {
      safe = at;
      if (keeps(at)) continue;
      parts.push(text.slice(from, at));
      do at = endOfItem(text, at + 1, false);
      while (text.charCodeAt(at) === COMMA && !keeps(at));
      from = at;
      safe = at;
      // What ends it is looked at next.
      if (text.charCodeAt(at) !== COMMA) at -= 1;
    } else if (outer.length === 0 && code > 32) break;
  }
  const isCut = outer.length > 0;
  if (isCut) {
    parts.push(text.slice(from, safe));
    if (safe > from && text.charCodeAt(safe - 1) === list.bracket) list.count = 0;
    for (let parent = outer.pop(); parent !== undefined; parent = outer.pop()) {
      parts.push(markOf(list, false), list.bracket === OPEN_OBJECT ? "}" : "]");
      list = parent;
    }
  }
  if (list.kept < list.count || (isCut && list.count > 1)) parts.push(markOf(list, !isCut));
  parts.push("]");
  return { json: parts.join(""), end: isCut ? text.length : end, isCut };
}

interface OpenList {
  readonly bracket: number;
  /** The items so far, how many of them are kept, and where the last of these began. */
  count: number;
  kept: number;
  keptAt: number;
}

function markOf({ bracket, count }: OpenList, isEnded: boolean): string {
  const name = `"${MARK}${count}${isEnded ? "" : "+"}"`;
  return `${count > 0 ? "," : ""}${bracket === OPEN_OBJECT ? `${name}:0` : name}`;
}

/** Where the item of a list ends: at a comma or a closing bracket; a value on its own, at its last bracket. */
function endOfItem(text: string, start: number, isAlone: boolean): number {
  let depth = 0;
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (depth === 0) break;
      depth -= 1;
      if (isAlone && depth === 0) break;
    } else if (code === COMMA && depth === 0) break;
  }
  return Math.min(at, text.length);
}

/** The position of the quotation mark that ends a string. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at !== -1 && text.charCodeAt(at - 1) === BACKSLASH) {
    let slashes = 1;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) break;
    at = text.indexOf('"', at + 1);
  }
  return at === -1 ? text.length : at;
}

function isEmptyAt(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) <= 32) at += 1;
  const code = text.charCodeAt(at);
  return code === CLOSE_ARRAY || code === CLOSE_OBJECT;
}

/** Takes the marks out of a value, and says what they said. */
function takeMarks(value: object): Map<object, Extent> {
  const extents = new Map<object, Extent>();
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const last: unknown = Array.isArray(next) ? next.at(-1) : Object.keys(next).at(-1);
    if (typeof last === "string" && last.startsWith(PARSED_MARK)) {
      if (Array.isArray(next)) next.pop();
      else Reflect.deleteProperty(next, last);
      const count = Number.parseInt(last.slice(PARSED_MARK.length), 10);
      extents.set(next, { count, isEnded: !last.endsWith("+") });
    }
    for (const inner of Object.values(next)) if (isContainer(inner)) open.push(inner);
  }
  return extents;
}

/** Adds those members of the outermost object that are whole in the end of its text, which is read backwards. */
function addMembers({ value, extents }: JsonContent, tail: string): void {
  const closing: number[] = [];
  let first: number | undefined;
  for (let at = tail.length - 1; at >= 0; at -= 1) {
    const code = tail.charCodeAt(at);
    if (code === QUOTE) at = startOfString(tail, at);
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) closing.push(code);
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) closing.pop();
    else if (code === COMMA && closing.length === 1) first = at;
    if (closing.length === 0 && code > 32) return;
  }
  const members = first === undefined ? undefined : parse(`{${tail.slice(first + 1)}`);
  if (!isContainer(members) || Array.isArray(value)) return;
  const missing = Object.entries(members).filter(([key]) => !Object.hasOwn(value, key));
  for (const [key, inner] of missing) {
    Object.defineProperty(value, key, { value: inner, enumerable: true });
  }
  const { count = 0 } = extents.get(value) ?? {};
  (extents as Map<object, Extent>).set(value, { count: count + missing.length, isEnded: false });
}

/** The position of the quotation mark that begins a string, or -1. */
function startOfString(text: string, end: number): number {
  for (let at = text.lastIndexOf('"', end - 1); at >= 0; at = text.lastIndexOf('"', at - 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
    if (at === 0) break;
  }
  return -1;
}

const PYTHON_WORDS: Readonly<Record<string, string>> = {
  None: "null",
  True: "true",
  False: "false",
  NaN: "null",
  nan: "null",
  inf: "null",
  Infinity: "null",
};

/** What Python or JavaScript prints of an object or a list, or JSON with `NaN` or commas too many. */
function printed(text: string): JsonContent | undefined {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const quote = text[at];
    if (quote !== "'" && quote !== '"') continue;
    parts.push(wordsToJson(text.slice(from, at)));
    const start = at + 1;
    for (at = start; at < text.length && text[at] !== quote; at += 1)
      if (text[at] === "\\") at += 1;
    const inside = text
      .slice(start, at)
      .replace(/\\'|\\x|"/g, (part) => (part === "\\'" ? "'" : part === "\\x" ? "\\u00" : '\\"'));
    parts.push(`"${quote === '"' ? text.slice(start, at) : inside}"`);
    from = at + 1;
  }
  const value = parse(parts.join("") + wordsToJson(text.slice(from)));
  if (!isContainer(value)) return undefined;
  return { form: "printed", value, extents: new Map(), before: "", after: "", reading: "whole" };
}

function wordsToJson(text: string): string {
  return text
    .replace(/-?[A-Za-z]+/g, (word) => PYTHON_WORDS[word.replace("-", "")] ?? word)
    .replace(/,\s*(?=[}\])])/g, "")
    .replace(/[()]/g, (bracket) => (bracket === "(" ? "[" : "]"));
}
