import { InvalidArgumentError } from "../../core/errors/argument-errors.js";

/** The path to a value in a JSON text: keys of objects and indices of arrays. */
export type JsonPath = readonly (string | number)[];

interface JsonRange {
  readonly start: number;
  /** The position after the last character. */
  readonly end: number;
}

/** The raw text of the value at a path; `undefined` if there is none. */
export function readRawJson(text: string, path: JsonPath): string | undefined {
  const range = findValue(text, path);
  return range && text.slice(range.start, range.end);
}

/** The text with the value at a path replaced by another JSON text; all other characters are unchanged. */
export function spliceJson(text: string, path: JsonPath, replacementJson: string): string {
  const range = findValue(text, path);
  if (!range) throw new InvalidArgumentError("path", path, "the path of a value in this JSON text");
  return text.slice(0, range.start) + replacementJson + text.slice(range.end);
}

/** The range of the value at a path in a text that JSON.parse accepts. */
function findValue(text: string, path: JsonPath): JsonRange | undefined {
  const start = skipSpace(text, 0);
  if (path.length === 0) return rangeFrom(text, start);
  let range: JsonRange | undefined = { start, end: text.length };
  for (const key of path) {
    range =
      typeof key === "number"
        ? findItem(text, range.start, key)
        : findMember(text, range.start, key);
    if (!range) return undefined;
  }
  return range;
}

/** The last member with this name, since JSON.parse takes the last of several. */
function findMember(text: string, start: number, name: string): JsonRange | undefined {
  if (text[start] !== "{") return undefined;
  let found: JsonRange | undefined;
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const keyEnd = skipString(text, at);
    const isWanted = isKey(text.slice(at + 1, keyEnd - 1), name);
    // Past the colon.
    const value = rangeFrom(text, skipSpace(text, skipSpace(text, keyEnd) + 1));
    if (isWanted) found = value;
    at = skipComma(text, value.end);
  }
  return found;
}

function findItem(text: string, start: number, position: number): JsonRange | undefined {
  if (text[start] !== "[") return undefined;
  let at = skipSpace(text, start + 1);
  for (let index = 0; at < text.length && text[at] !== "]"; index++) {
    const value = rangeFrom(text, at);
    if (index === position) return value;
    at = skipComma(text, value.end);
  }
  return undefined;
}

function isKey(raw: string, name: string): boolean {
  return raw === name || (raw.includes("\\") && JSON.parse(`"${raw}"`) === name);
}

function rangeFrom(text: string, start: number): JsonRange {
  const opening = text[start];
  if (opening === '"') return { start, end: skipString(text, start) };
  if (opening === "{" || opening === "[") return { start, end: skipNested(text, start) };
  return { start, end: matchEnd(/[^\s,\]}]+/y, text, start) };
}

/** Past the bracket that closes the one at `start`; any depth, no stack. */
function skipNested(text: string, start: number): number {
  const marks = /["{}[\]]/g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    const [character] = mark;
    if (character === '"') marks.lastIndex = skipString(text, mark.index);
    else if (character === "{" || character === "[") depth++;
    else if (--depth === 0) return marks.lastIndex;
  }
  throw notJson(text);
}

/** Past the quote that closes the string at `start`. */
function skipString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text[before] === "\\") before--;
    // After an even number of backslashes a quote is not escaped.
    if ((at - before) % 2 === 1) return at + 1;
  }
  throw notJson(text);
}

function skipComma(text: string, at: number): number {
  const next = skipSpace(text, at);
  return text[next] === "," ? skipSpace(text, next + 1) : next;
}

function skipSpace(text: string, at: number): number {
  return matchEnd(/[ \t\n\r]*/y, text, at);
}

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  if (!pattern.test(text)) throw notJson(text);
  return pattern.lastIndex;
}

function notJson(text: string): InvalidArgumentError {
  return new InvalidArgumentError("text", text, "JSON");
}
