import { parseExactly } from "../records/record-value.js";
import type { SampledText } from "./sampled-text.js";

/** What a text holds as JSON. */
export interface JsonContent {
  /** An array or an object; several top-level values are an array. */
  readonly value: object;
  readonly isLines: boolean;
  /** The containers whose end was not seen, the outermost first. */
  readonly open: readonly object[];
  /** What surrounds it. */
  readonly before: string;
  readonly after: string;
  /** Whether its start and its end were read, and not what is between. */
  readonly isSampled: boolean;
  /** Whether a query reads it, as far as can be told. */
  readonly isQueried: boolean;
}

/** Up to this length, all of it is parsed, which takes a millisecond for a million characters. */
const WHOLE_CHARS = 4_194_304;
/** So much is read of what is longer. */
const HEAD_CHARS = 131_072;
const TAIL_CHARS = 4_096;
/** JSON may begin behind some lines of text. */
const PREFACE_CHARS = 4_096;
/** It is JSON if so much of it is. */
const MIN_SHARE = 0.5;
const MAX_DEPTH = 500;
/** Where a value seems to begin: at the start, or at that of one of the first lines. */
const OPENING = /^[^\S\n\r\u2028\u2029]*(?=(?:\{\s*["}]|\[\s*(?:[[{"\]\d-]|null|true|false)))/m;

/** What a text holds as JSON, to its end if it is not too long; `undefined` if it is something else. */
export function readJson({ text, chars, joint }: SampledText): JsonContent | undefined {
  const opening = text.slice(0, PREFACE_CHARS);
  // Most text has no bracket, which is seen at once.
  const match = /[[{]/.test(opening) ? OPENING.exec(opening.replace(/^\ufeff/, " ")) : null;
  if (match === null) return undefined;
  const start = match.index + match[0].length;
  const before = text
    .slice(0, start)
    .replace(/^\ufeff/, "")
    .trim();
  const isWhole = joint >= chars - 1 && chars <= WHOLE_CHARS;
  const json = text.slice(start, isWhole ? text.length : Math.min(joint, start + HEAD_CHARS));
  const all = isWhole ? parse(json) : undefined;
  const { values, end, open } = isContainer(all)
    ? { values: [all], end: json.length, open: [] }
    : readValues(json);
  const [first] = values;
  const isCut = open.length > 0;
  if (first === undefined || (isWhole && end < chars * MIN_SHARE)) return undefined;
  // A bracket that is not closed is JSON only if something follows it.
  if (isCut && Object.keys(first).length === 0) return undefined;
  const isLines = values.length > 1;
  if (!isWhole && isCut && !isLines) addLastMembers(first, text.slice(-TAIL_CHARS));
  const value = isLines ? values : first;
  const after = isWhole ? json.slice(end).trim() : "";
  return {
    ...{ value, isLines, before, after, isSampled: !isWhole },
    open: isLines && (isCut || !isWhole) ? [value, ...open] : open,
    isQueried: before === "" && after === "" && (!isWhole || !isCut),
  };
}

interface Part {
  readonly value: object;
  readonly end: number;
  readonly open: readonly object[];
}

/** The values of a text, each on lines of its own, and where the last of them ends. */
function readValues(text: string): { values: object[]; end: number; open: readonly object[] } {
  const values: object[] = [];
  let end = 0;
  for (let at = 0; at < text.length;) {
    const feed = text.indexOf("\n", at);
    const lineEnd = feed === -1 ? text.length : feed;
    const value = parse(text.slice(at, lineEnd));
    const part = isContainer(value) ? { value, end: lineEnd, open: [] } : readPart(text, at);
    if (part === undefined) break;
    values.push(part.value);
    end = part.end;
    if (part.open.length > 0) return { values, end, open: part.open };
    const next = /\s*/y;
    next.lastIndex = end;
    const [blank = ""] = next.exec(text) ?? [];
    at = end + blank.length;
    if (!blank.includes("\n")) break;
  }
  return { values, end, open: [] };
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** One value, to its last bracket; where the text ends before that, what is whole in it. */
function readPart(text: string, from: number): Part | undefined {
  const closing: string[] = [];
  /** Where the key of the member that is read is, for each open container. */
  const keys: (readonly [from: number, to: number])[] = [];
  let string: readonly [from: number, to: number] = [0, 0];
  /** Up to here, everything is whole. */
  let safe = from;
  for (let at = from; at < text.length && closing.length < MAX_DEPTH; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      string = [at, end];
      at = end - 1;
    } else if (code === COLON) keys[closing.length - 1] = string;
    else if (code === COMMA) safe = at;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      closing.push(code === OPEN_LIST ? "]" : "}");
      safe = at + 1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      closing.pop();
      safe = at + 1;
      if (closing.length === 0) break;
    }
  }
  const depth = closing.length;
  const value = parse(text.slice(from, safe) + closing.reverse().join(""));
  if (!isContainer(value)) return undefined;
  const open = depth === 0 ? [] : [value];
  for (let at = 1; at < depth; at += 1) {
    const outer = open[at - 1] as object;
    const [start, end] = keys[at - 1] ?? [0, 0];
    const inner = Array.isArray(outer)
      ? (outer.at(-1) as unknown)
      : (outer as Readonly<Record<string, unknown>>)[JSON.parse(text.slice(start, end)) as string];
    if (isContainer(inner)) open.push(inner);
  }
  return { value, end: depth === 0 ? safe : text.length, open };
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

/** Adds those members of the outermost object that are whole in the end of its text. */
function addLastMembers(value: object, tail: string): void {
  let members: object = {};
  for (let at = tail.lastIndexOf(","); at > 0; at = tail.lastIndexOf(",", at - 1)) {
    const found = parse(`{${tail.slice(at + 1)}`);
    if (isContainer(found)) members = found;
  }
  for (const [key, inner] of Array.isArray(value) ? [] : Object.entries(members)) {
    if (Object.hasOwn(value, key)) continue;
    Object.defineProperty(value, key, { value: inner as unknown, enumerable: true });
  }
}

/** Written out, this is found seven times as fast as with a count. */
const LONG_NUMBER = /\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d/;

export function parse(text: string): unknown {
  try {
    // Looking for other numbers that JavaScript would write differently would take longer than parsing.
    const isExact = !LONG_NUMBER.test(text) || !/[:,[\s]-?\d{16}/.test(text);
    return isExact ? (JSON.parse(text) as unknown) : parseExactly(text);
  } catch {
    return undefined;
  }
}

export function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
