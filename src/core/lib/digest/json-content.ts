import {
  BACKSLASH,
  BRACE_BIT,
  CLOSE_OBJECT,
  COMMA,
  OPEN_OBJECT,
  QUOTE,
} from "../json/json-walker.js";
import { isScalar, parseExactly } from "../records/record-value.js";
import { countOf } from "../text/printable.js";
import { toLine } from "./record-fields.js";
import type { SampledText } from "./sampled-text.js";

/** What a text holds as JSON. */
export interface JsonContent {
  /** An array or an object; several top-level values are an array. */
  readonly value: object;
  /** The containers whose end was not seen, the outermost first. */
  readonly open: readonly object[];
  /** What it is, how much of it there is, and what surrounds it. */
  readonly title: string;
  /** Whether a query reads it, as far as can be told. */
  readonly isQueried: boolean;
}

/** Up to this length, all of it is parsed, which takes a millisecond for a million characters. */
const WHOLE_CHARS = 4_194_304;
/** So much is read of the start of what is longer. */
const HEAD_CHARS = 131_072;
/** JSON may begin behind so much text, and so much is read of the end of what is too long. */
const EDGE_CHARS = 4_096;
/** It is JSON if so much of it is. */
const MIN_SHARE = 0.5;
const MAX_DEPTH = 500;
const LINE_CHARS = 120;
/** Where a value seems to begin: at the start, or at that of one of the first lines. */
const OPENING = /^[^\S\n\r\u2028\u2029]*(?=(?:\{\s*["}]|\[\s*(?:[[{"\]\d-]|null|true|false)))/m;
const NEXT = /[^\S\n]*\n\s*(?=[[{])/y;
/** Written out, this is found seven times as fast as with a count. */
const LONG_NUMBER = /\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d/;

/** What a text holds as JSON, to its end if it is not too long; `undefined` if it is something else. */
export function readJson({ text, chars, joint }: SampledText): JsonContent | undefined {
  const preface = text.slice(0, EDGE_CHARS);
  // Most text has no bracket, which is seen at once.
  const opening = /[[{]/.test(preface) ? OPENING.exec(preface) : null;
  if (opening === null) return undefined;
  const start = opening.index + opening[0].length;
  const isSampled = joint < chars - 1 || chars > WHOLE_CHARS;
  const json = text.slice(start, isSampled ? Math.min(joint, start + HEAD_CHARS) : undefined);
  const whole = parse(json);
  const values = whole ? [whole] : readLines(json);
  const read = values ? { values, open: [], end: json.length } : readValues(json);
  const [first] = read.values;
  const isCut = read.open.length > 0;
  if (first === undefined || (!isSampled && read.end < chars * MIN_SHARE)) return undefined;
  // A bracket that is not closed is JSON only if something follows it.
  if (isCut && Object.keys(first).length === 0) return undefined;
  const isLines = read.values.length > 1;
  const isList = isLines || Array.isArray(first);
  const rest = isCut && isSampled && !isList ? { ...first, ...readLast(text) } : first;
  const value = isLines ? read.values : rest;
  const isOpen = isCut || (isLines && isSampled);
  const open = isOpen ? [value, ...read.open.slice(isLines ? 0 : 1)] : [];
  const before = text.slice(0, start).trim();
  const after = isSampled ? "" : json.slice(read.end).trim();
  const [form, noun] = isLines
    ? ["Lines", "value"]
    : isList
      ? ["array", "item"]
      : ["object", "key"];
  const size = `${isOpen ? "at least " : ""}${countOf(Object.keys(value).length, noun)}`;
  const cut = isCut ? ", cut off: it ends before its last bracket" : "";
  const title = [
    `JSON ${form}, ${size}${isSampled ? ", read from its start and its end" : cut}.`,
    before && `Before it: ${toLine(before, LINE_CHARS)}`,
    after && `After it: ${toLine(after, LINE_CHARS)}`,
  ];
  const isQueried = before === "" && after === "" && (isSampled || !isCut);
  return { value, open, title: title.filter(Boolean).join("\n"), isQueried };
}

/** The values of JSON Lines, parsed at once, which is much faster than one by one. */
function readLines(text: string): readonly object[] | undefined {
  const lines = text.trim().split("\n");
  const values = lines.length > 1 ? parse(`[${lines.join(",")}]`) : undefined;
  const isLines = Array.isArray(values) && values.length === lines.length && !values.some(isScalar);
  return isLines ? (values as object[]) : undefined;
}

/** Values on lines of their own, where the last of them ends, and what is open there; of what is cut, all that is whole. */
function readValues(text: string): { values: object[]; open: object[]; end: number } {
  const values: object[] = [];
  const closing: string[] = [];
  /** For each bracket, where the string before it is: the key of what it opens. */
  const keys: number[] = [];
  /** Where a value begins, up to where it is whole, and where its last string is. */
  let [from, end, key] = [0, 0, 0];
  for (let at = 0; at < text.length && closing.length < MAX_DEPTH; at += 1) {
    const code = text.charCodeAt(at);
    const brace = code | BRACE_BIT;
    if (code === QUOTE) {
      key = at;
      at = endOfString(text, at) - 1;
    } else if (code === COMMA) end = at;
    else if (brace === OPEN_OBJECT) {
      keys[closing.push(code === brace ? "}" : "]") - 1] = key;
      end = at + 1;
    } else if (brace === CLOSE_OBJECT) {
      closing.pop();
      end = at + 1;
      if (closing.length > 0) continue;
      const value = parse(text.slice(from, end));
      if (value) values.push(value);
      NEXT.lastIndex = end;
      if (!value || !NEXT.test(text)) return { values, open: [], end: value ? end : from };
      from = NEXT.lastIndex;
      at = from - 1;
    }
  }
  const value = parse(text.slice(from, end) + [...closing].reverse().join(""));
  if (value === undefined) return { values, open: [], end: from };
  const open = [value];
  for (const start of keys.slice(1, closing.length)) {
    const outer = open.at(-1) as Readonly<Record<string, object>>;
    const key = Array.isArray(outer)
      ? `"${outer.length - 1}"`
      : text.slice(start, endOfString(text, start));
    open.push(outer[JSON.parse(key) as string] as object);
  }
  return { values: [...values, value], open, end: text.length };
}

/** The index behind the closing quote, or behind the text if there is none. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length + 1;
}

/** Those members of an object that are whole in the end of its text. */
function readLast(text: string): object | undefined {
  const tail = text.slice(-EDGE_CHARS);
  let members: object | undefined;
  for (let at = tail.indexOf(","); at !== -1 && !members; at = tail.indexOf(",", at + 1)) {
    members = parse(`{${tail.slice(at + 1)}`);
  }
  return members;
}

/** The array or object of a text, with long integers as they are written. */
export function parse(text: string): object | undefined {
  try {
    // Looking for other numbers that JavaScript would write differently would take longer than parsing.
    const isExact = !LONG_NUMBER.test(text) || !/[:,[\s]-?\d{16}/.test(text);
    const value: unknown = isExact ? JSON.parse(text) : parseExactly(text);
    return isScalar(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
