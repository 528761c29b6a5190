import { BRACE_BIT } from "../json/json-skip.js";
import {
  BACKSLASH,
  CLOSE_OBJECT,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  unescapeJson,
} from "../json/json-strings.js";
import { NotWrappedError, type WrappedValue } from "./wrapped-value.js";

/**
 * The JSON value that is all of a text; `undefined` if something follows it.
 *
 * @param isWhole - False if more of the text follows. A whole text that is a quote and some words is
 *   not a string that was cut short.
 */
export function readJsonValue(text: string, isWhole: boolean): WrappedValue | undefined {
  const start = skipBlanks(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  if (start === text.length) return undefined;
  const end = endOfValue(text, start);
  if (skipBlanks(text, end) !== text.length) return undefined;
  const value = new JsonValue(text, start, end);
  return isWhole && value.kind === "string" && !isClosed(value.source) ? undefined : value;
}

class JsonValue implements WrappedValue {
  readonly kind: WrappedValue["kind"];
  readonly #text: string;
  readonly #start: number;
  readonly #end: number;
  readonly #known: (readonly [string, WrappedValue])[] = [];
  readonly #unknown = this.#scan();

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.#start = start;
    this.#end = end;
    this.kind = kindOf(text.charCodeAt(start));
  }

  get source(): string {
    return this.#text.slice(this.#start, this.#end);
  }

  text(): string {
    const { source } = this;
    if (!isClosed(source)) {
      if (source.includes("\n")) throw new NotWrappedError();
      return unescapeJson(source.slice(1));
    }
    try {
      return JSON.parse(source) as string;
    } catch {
      throw new NotWrappedError();
    }
  }

  /** Each is found once, since the way to its end may be long. */
  *entries(): Generator<readonly [string, WrappedValue]> {
    for (let index = 0; ; index += 1) {
      if (index === this.#known.length) {
        const { done, value } = this.#unknown.next();
        if (done === true) return;
        this.#known.push(value);
      }
      yield this.#known[index] as readonly [string, WrappedValue];
    }
  }

  *#scan(): Generator<readonly [string, WrappedValue], void> {
    const text = this.#text;
    const isObject = this.kind === "object";
    const close = isObject ? "}" : "]";
    let at = skipBlanks(text, this.#start + 1);
    if (text[at] === close) return;
    for (let index = 0; at < text.length; index += 1) {
      let key = String(index);
      if (isObject) {
        const name = new JsonValue(text, at, endOfValue(text, at));
        if (name.kind !== "string") throw new NotWrappedError();
        at = skipBlanks(text, name.#end);
        if (at === text.length) return;
        key = name.text();
        if (text[at] !== ":") throw new NotWrappedError();
        at = skipBlanks(text, at + 1);
        if (at === text.length) return;
      }
      const value = new JsonValue(text, at, endOfValue(text, at));
      yield [key, value];
      at = skipBlanks(text, value.#end);
      if (at >= text.length || text[at] === close) return;
      if (text[at] !== ",") throw new NotWrappedError();
      at = skipBlanks(text, at + 1);
    }
  }
}

function kindOf(code: number): WrappedValue["kind"] {
  if (code === QUOTE) return "string";
  if (code === OPEN_OBJECT) return "object";
  return code === OPEN_ARRAY ? "array" : "other";
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
  }
  return at;
}

/** The index after the value; the length of a text that ends before the value does. */
function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return endOfContainer(text, start);
  let at = start;
  while (at < text.length && !",]}: \n\r\t".includes(text.charAt(at))) at += 1;
  if (at === start) throw new NotWrappedError();
  return at;
}

function endOfContainer(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at) - 1;
      continue;
    }
    const brace = code | BRACE_BIT;
    if (brace === OPEN_OBJECT) depth += 1;
    else if (brace === CLOSE_OBJECT && --depth === 0) return at + 1;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** Whether a string ends with its closing quote. */
function isClosed(source: string): boolean {
  let slashes = 0;
  while (source.charCodeAt(source.length - 2 - slashes) === BACKSLASH) slashes += 1;
  return source.length > 1 && source.endsWith('"') && slashes % 2 === 0;
}
