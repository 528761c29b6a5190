import type { Format, FormatResult, FormatParts } from "../../core/engine/format.js";
import { InvalidArgumentError } from "../../core/errors/argument-errors.js";
import { type JsonRecord, isRecord } from "./json-record.js";
import { valueAt } from "./message-parts.js";
import { relayTo } from "./visitors.js";

/** The path to a value in a JSON text: keys of objects and indices of arrays. */
export type JsonPath = readonly (string | number)[];

interface JsonRange {
  readonly start: number;
  /** The position after the last character. */
  readonly end: number;
}

/** The raw text of the value at a path; `undefined` if there is none. */
export function findRawJson(text: string, path: JsonPath): string | undefined {
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

/**
 * What is stored beside the content: the JSON as it was written, if JSON.stringify would write it
 * differently, and the inner format's own wrapping, if it has one.
 */
type LineWrapping = string | undefined | { readonly inner: unknown; readonly raw?: string };

/** Stands for a reference, to see what one would replace. */
const PROBE = "\u0000reference";

/**
 * Reads, replaces and restores results within the text of a line; every other character of the line
 * is unchanged.
 *
 * @param contentPath - The path to a result's content in the message. Default: to whatever changes.
 */
export function lineSplicer(
  inner: Format,
  find: (line: unknown) => LineMessage | undefined,
  contentPath?: (message: JsonRecord, slot: number) => JsonPath,
): Pick<Format, "read" | "replace" | "restore" | "parts"> {
  const pathOf = (message: JsonRecord, slot: number, changed: () => unknown) =>
    contentPath ? contentPath(message, slot) : findChange(message, changed());

  return {
    ...(inner.parts ? { parts: partsOfLines(inner.parts, find) } : {}),

    read(line, visitor, options) {
      const found = find(line);
      if (!found) return;
      const { message, at } = found;
      const relay = relayTo(visitor, (result) => {
        const { slot, id, content, soleText, chars, toolName, isError } = result;
        return {
          ...{ slot, id, content, soleText, chars, toolName, isError },
          // Computed only for what is offloaded, since it takes another pass over the line.
          get wrapping() {
            const probe = () => inner.replace(message, [{ slot, text: PROBE }], options);
            const path = pathOf(message, slot, probe) ?? [];
            const raw = findRawJson(line as string, [...at, ...path]);
            const isPlain = raw === JSON.stringify(valueAt(message, path));
            return wrap(result, isPlain ? undefined : raw);
          },
        };
      });
      inner.read(message, relay, options);
    },

    replace(line, texts, options) {
      const found = find(line);
      if (!found) return line;
      const { message, at } = found;
      return texts.reduce((text, change) => {
        const replaced = inner.replace(message, [change], options);
        const path = pathOf(message, change.slot, () => replaced) ?? [];
        return spliceJson(text, [...at, ...path], JSON.stringify(valueAt(replaced, path)));
      }, line as string);
    },

    restore(line, originals) {
      const found = find(line);
      if (!found) return line;
      const { message, at } = found;
      return originals.reduce((text, { slot, content, wrapping }) => {
        const { inner: own, raw } = unwrap(wrapping as LineWrapping);
        const restored = () => inner.restore(message, [{ slot, content, wrapping: own }]);
        const path = pathOf(message, slot, restored) ?? [];
        const json = JSON.stringify(contentPath ? content : valueAt(restored(), path));
        return spliceJson(text, [...at, ...path], isJsonOf(raw, json) ? raw : json);
      }, line as string);
    },
  };
}

function wrap({ wrapping: inner }: FormatResult, raw: string | undefined): LineWrapping {
  if (inner === undefined) return raw;
  return { inner, ...(raw === undefined ? {} : { raw }) };
}

function unwrap(wrapping: LineWrapping): { inner?: unknown; raw?: string | undefined } {
  return typeof wrapping === "string" ? { raw: wrapping } : (wrapping ?? {});
}

/** Whether a text is this JSON, written in another way. */
function isJsonOf(raw: string | undefined, json: string): raw is string {
  return raw !== undefined && JSON.stringify(JSON.parse(raw)) === json;
}

/**
 * The path of the smallest value that holds everything in which two JSON values differ; `undefined`
 * if they do not. The same for both directions, so that what replaced a value can be found again.
 */
export function findChange(before: unknown, after: unknown): JsonPath | undefined {
  if (before === after) return undefined;
  const keys = commonKeys(before, after);
  if (!keys) return [];
  const changes = keys.flatMap((key) => {
    const inner = findChange((before as JsonRecord)[key], (after as JsonRecord)[key]);
    return inner ? [[key, ...inner]] : [];
  });
  return changes.length > 1 ? [] : changes[0];
}

/** The keys of two objects or arrays, if they have the same in the same order. */
function commonKeys(before: unknown, after: unknown): readonly (string | number)[] | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length ? [...before.keys()] : undefined;
  }
  if (!isRecord(before) || !isRecord(after)) return undefined;
  const keys = Object.keys(before);
  const others = Object.keys(after);
  const isSame = keys.length === others.length && keys.every((key, at) => key === others[at]);
  return isSame ? keys : undefined;
}

/** The message in a line, and its path in the line's JSON. */
export interface LineMessage {
  readonly message: JsonRecord;
  readonly at: JsonPath;
}

/** The parts of the message in a line, in the text of the line. */
export function partsOfLines(
  inner: FormatParts,
  find: (line: unknown) => LineMessage | undefined,
): FormatParts {
  return {
    find(line) {
      const found = find(line);
      if (!found) return [];
      const { message, at } = found;
      return inner.find(message).map((part) => ({ ...part, path: [...at, ...part.path] }));
    },
    isSigned: (line) => inner.isSigned(find(line)?.message),
    put: (line, path, value, raw = JSON.stringify(value)) => spliceJson(line as string, path, raw),
    raw(line, { path, value }) {
      const raw = findRawJson(line as string, path);
      return raw === JSON.stringify(value) ? undefined : raw;
    },
  };
}
