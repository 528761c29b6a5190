import { formatCount } from "../text/printable.js";
import {
  BRACE_BIT,
  BACKSLASH,
  CLOSE_OBJECT,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  isWhitespace,
} from "../json/json-walker.js";
import { unescapeJson } from "../json/json-string.js";

/**
 * A value inside a wrapper, read on demand from the text that holds it. A text that was cut short is
 * read as far as it goes.
 */
export interface WrappedValue {
  readonly kind: "string" | "object" | "array" | "other";
  /** The value as it is written. */
  readonly source: string;
  /** The text of a string; throws `NotWrappedError` if it is malformed. */
  text(): string;
  /** The members of an object, or the items of an array by index. */
  entries(): Iterable<readonly [string, WrappedValue]>;
}

/** A text is not the wrapper that it begins like. */
export class NotWrappedError extends Error {
  constructor() {
    super("not a wrapper");
    this.name = "NotWrappedError";
  }
}

/** Shorter data is shown as it is. */
const MIN_CHARS = 256;
const DATA_KEYS = new Set(
  "data blob bytes base64 b64_json body image image_data file_data signature".split(" "),
);
const MAX_LEVELS = 3;
const MAX_MEMBERS = 16;

/**
 * Images, audio and other encoded data in one line, since reading them as text is of no use; the raw
 * view has them in full. `undefined` for any other string.
 */
export function describeEncoded(key: string, source: string): string | undefined {
  if (source.length < MIN_CHARS) return undefined;
  const inside = source.slice(1, -1);
  const [lead = "", type = ""] = /^data:([\w.+/-]{0,80})[^,]{0,80};base64,/.exec(inside) ?? [];
  if (lead === "" && !DATA_KEYS.has(key)) return undefined;
  const data = inside.slice(lead.length).replaceAll("\\/", "/");
  // Line breaks, which some encoders add, are escaped here.
  if (!/^[A-Za-z0-9+/_=-]*(?:\\[nr][A-Za-z0-9+/_=\\-]*)?$/.test(data)) return undefined;
  const size = `${formatCount(data.length)} characters of base64`;
  return type === "" ? size : `${type}, ${size}`;
}

/** Whether a value holds encoded data, not too deep inside. */
export function holdsEncoded(value: WrappedValue, level = 0): boolean {
  if (value.kind !== "object" || level === MAX_LEVELS || value.source.length < MIN_CHARS)
    return false;
  let seen = 0;
  for (const [key, member] of value.entries()) {
    if (seen++ === MAX_MEMBERS) return false;
    if (member.kind === "string" && describeEncoded(key, member.source) !== undefined) return true;
    if (holdsEncoded(member, level + 1)) return true;
  }
  return false;
}

/**
 * The JSON value that is all of a text; `undefined` if something follows it.
 *
 * @param isWhole - False if more of the text follows. A whole text that is a quote and some words is
 *   not a string that was cut short.
 */
export function parseJsonValue(text: string, isWhole: boolean): WrappedValue | undefined {
  const start = skipBlanks(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  if (start === text.length) return undefined;
  const end = endOfValue(text, start);
  if (skipBlanks(text, end) !== text.length) return undefined;
  const value = new WrappedJson(text, start, end);
  return isWhole && value.kind === "string" && !isClosed(value.source) ? undefined : value;
}

class WrappedJson implements WrappedValue {
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
        const name = new WrappedJson(text, at, endOfValue(text, at));
        if (name.kind !== "string") throw new NotWrappedError();
        at = skipBlanks(text, name.#end);
        if (at === text.length) return;
        key = name.text();
        if (text[at] !== ":") throw new NotWrappedError();
        at = skipBlanks(text, at + 1);
        if (at === text.length) return;
      }
      const value = new WrappedJson(text, at, endOfValue(text, at));
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
    if (!isWhitespace(code)) break;
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

const BLANK = /\s/;
const NAME = /[A-Za-z_][\w.]*/y;

/** What a printed result has near its start. */
const MARK = "Content(type=";
const MARK_WITHIN = 300;

/** Whether a text begins like a tool result that a Python client printed. */
export function looksPrinted(text: string): boolean {
  const at = text.slice(0, MARK_WITHIN).indexOf(MARK);
  // Directly in front of the mark: `[Text`, `[Image`, `[Audio`.
  return at > 0 && /\[[A-Z][a-z]{1,20}$/.test(text.slice(Math.max(0, at - 24), at));
}

/**
 * A tool result as a Python client prints it: `content=[TextContent(type='text', text='…')]` with
 * other fields around, or as the arguments of a class.
 */
export function parsePrinted(text: string): WrappedValue {
  const reader = new PrintedReader(text);
  const value = /^\s*(?:\[|[A-Za-z_.]+\()/.test(text) ? reader.value() : reader.members("");
  reader.skipBlanks();
  if (!reader.isAtEnd()) throw new NotWrappedError();
  return value;
}

/** Reads the literals, calls and lists of a print, and takes anything else as it is written. */
class PrintedReader {
  #at = 0;

  constructor(readonly text: string) {}

  isAtEnd(): boolean {
    return this.#at >= this.text.length;
  }

  skipBlanks(): void {
    while (BLANK.test(this.text.charAt(this.#at))) this.#at += 1;
  }

  value(): WrappedValue {
    this.skipBlanks();
    const start = this.#at;
    const first = this.text.charAt(start);
    if (first === "'" || first === '"') return this.#string(first);
    if (first === "[") return this.#list();
    const name = this.#name();
    if (name !== undefined && this.text.charAt(this.#at) === "(") {
      this.#at += 1;
      return this.members(")");
    }
    this.#skipOther();
    if (this.#at === start) throw new NotWrappedError();
    return printed("other", this.text.slice(start, this.#at));
  }

  /** `name=value` until the closing character, or the end where there is none. */
  members(close: string): WrappedValue {
    const start = this.#at;
    const members: [string, WrappedValue][] = [];
    for (;;) {
      this.#separator();
      if (this.isAtEnd()) break;
      if (close !== "" && this.text.charAt(this.#at) === close) {
        this.#at += 1;
        break;
      }
      const name = this.#name();
      if (name === undefined || this.text.charAt(this.#at) !== "=") {
        if (this.isAtEnd()) break;
        throw new NotWrappedError();
      }
      this.#at += 1;
      if (this.isAtEnd()) break;
      members.push([name, this.value()]);
    }
    return printed("object", this.text.slice(start, this.#at), members);
  }

  #list(): WrappedValue {
    const start = this.#at;
    const items: [string, WrappedValue][] = [];
    this.#at += 1;
    for (;;) {
      this.#separator();
      if (this.isAtEnd()) break;
      if (this.text.charAt(this.#at) === "]") {
        this.#at += 1;
        break;
      }
      items.push([String(items.length), this.value()]);
    }
    return printed("array", this.text.slice(start, this.#at), items);
  }

  #string(quote: string): WrappedValue {
    const start = this.#at;
    const { text } = this;
    let at = start + 1;
    for (;;) {
      const end = text.indexOf(quote, at);
      if (end === -1) {
        this.#at = text.length;
        return printed("string", text.slice(start), [], unescapePrinted(text.slice(start + 1)));
      }
      let slashes = 0;
      while (text.charAt(end - 1 - slashes) === "\\") slashes += 1;
      at = end + 1;
      if (slashes % 2 === 1) continue;
      this.#at = at;
      return printed(
        "string",
        text.slice(start, at),
        [],
        unescapePrinted(text.slice(start + 1, end)),
      );
    }
  }

  #name(): string | undefined {
    NAME.lastIndex = this.#at;
    const [name] = NAME.exec(this.text) ?? [];
    this.#at += name?.length ?? 0;
    return name;
  }

  #separator(): void {
    this.skipBlanks();
    if (this.text.charAt(this.#at) !== ",") return;
    this.#at += 1;
    this.skipBlanks();
  }

  /** Everything up to a comma, a blank or a closing bracket that is not inside of brackets. */
  #skipOther(): void {
    let depth = 0;
    for (; !this.isAtEnd(); this.#at += 1) {
      const char = this.text.charAt(this.#at);
      if (char === "'" || char === '"') {
        this.#string(char);
        this.#at -= 1;
      } else if ("([{<".includes(char)) depth += 1;
      else if (")]}>".includes(char)) {
        if (depth === 0) return;
        depth -= 1;
      } else if (depth === 0 && (char === "," || BLANK.test(char))) return;
    }
  }
}

function printed(
  kind: WrappedValue["kind"],
  source: string,
  entries: readonly (readonly [string, WrappedValue])[] = [],
  text = "",
): WrappedValue {
  return { kind, source, text: () => text, entries: () => entries };
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
};

/** Resolves the escapes of a Python string; an incomplete one at its end is dropped. */
function unescapePrinted(inside: string): string {
  if (!inside.includes("\\")) return inside;
  return inside.replace(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([^xuU])|[xuU]?[0-9a-f]{0,7}$)/gs,
    (_all, x?: string, u?: string, point?: string, plain = "") => {
      const hex = x ?? u ?? point;
      if (hex === undefined) return ESCAPES[plain as string] ?? (plain as string);
      const code = parseInt(hex, 16);
      return code > 0x10ffff ? "" : String.fromCodePoint(code);
    },
  );
}
