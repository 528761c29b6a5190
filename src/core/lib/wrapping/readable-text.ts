import { createJsonIndenter } from "../json/json-indenter.js";
import { decodeWtf8, encodeWtf8 } from "../text/wtf8.js";
import {
  parseJsonValue,
  looksPrinted,
  parsePrinted,
  NotWrappedError,
  type WrappedValue,
} from "./wrapped-value.js";
import { partsOf, type WrapperPart } from "./wrapper-parts.js";

/** A text without what a client or a tool wrapped it in. */
export interface ReadableText {
  /** The content, and after it a line with the small fields of its wrapper. */
  readonly text: string;
  /** How much of `text` is the content itself: what a digest describes. */
  readonly bodyChars: number;
  /** Whether the content itself is JSON. */
  readonly isJson: boolean;
  /** False if JSON was not indented, since it is longer than was asked for. */
  readonly isIndented: boolean;
}

export interface UnwrapOptions {
  /** The longest JSON to indent, in characters. Default: any. */
  readonly maxIndentedChars?: number;
}

/** What a text is, as far as its first characters tell. */
export type Wrapping = "plain" | "json" | "wrapped";

/** How many characters decide what a text is. */
export const OPENING_CHARS = 16_384;

/** A wrapper may hold another one; deeper nesting is not looked at. */
const MAX_LEVELS = 4;
/** More small fields than this get a line each. */
const ONE_LINE_CHARS = 300;

/** What a text is, by its first `OPENING_CHARS` characters. Plain text costs next to nothing. */
export function wrappingOf(text: string): Wrapping {
  const opening = text.slice(0, OPENING_CHARS);
  const first = /[^\s\ufeff]/.exec(opening.slice(0, 256))?.[0];
  const isJson = first === "{" || first === "[";
  if (parseOutputHeader(opening) !== undefined) return "wrapped";
  if (!isJson && first !== '"' && !looksPrinted(opening)) return "plain";
  try {
    const value = parseWrappedValue(opening, opening.length === text.length);
    if (value !== undefined && partsOf(value) !== undefined) return "wrapped";
  } catch (error) {
    if (!(error instanceof NotWrappedError)) throw error;
  }
  return isJson ? "json" : "plain";
}

/** A wrapped text as it should be read; `undefined` if it turns out not to be wrapped. */
export function unwrap(
  text: string,
  { maxIndentedChars = Infinity }: UnwrapOptions = {},
): ReadableText | undefined {
  return unwrapAt(text, { level: 1, maxIndentedChars });
}

/** How deep inside of wrappers a text is, and what was asked for. */
interface UnwrapContext {
  readonly level: number;
  readonly maxIndentedChars: number;
}

function unwrapAt(text: string, place: UnwrapContext): ReadableText | undefined {
  const header = parseOutputHeader(text);
  if (header !== undefined) {
    const { fields, start } = header;
    return withFields(unwrapPart(text.slice(start), false, place), fields);
  }
  try {
    const value = parseWrappedValue(text, true);
    const parts = value && partsOf(value);
    return parts && render(parts, place);
  } catch (error) {
    if (error instanceof NotWrappedError) return undefined;
    throw error;
  }
}

/** JSON indented by two spaces, with numbers and strings as they are written; `undefined` if it is not JSON. */
export function indentJson(text: string): string | undefined {
  try {
    const indenter = createJsonIndenter();
    return decodeWtf8(indenter.push(encodeWtf8(text))) + decodeWtf8(indenter.end());
  } catch {
    return undefined;
  }
}

function parseWrappedValue(text: string, isWhole: boolean): WrappedValue | undefined {
  return looksPrinted(text) ? parsePrinted(text) : parseJsonValue(text, isWhole);
}

function render(parts: readonly WrapperPart[], place: UnwrapContext): ReadableText | undefined {
  const texts = parts.flatMap((part) => ("text" in part ? [part] : []));
  const [sole, other] = texts;
  if (sole === undefined) return undefined;
  const fields = parts.flatMap((part) => ("field" in part ? [`${part.name}: ${part.field}`] : []));
  const body = unwrapPart(sole.text, sole.isJson, place);
  if (other === undefined) {
    return withFields(body, sole.name === "" ? fields : [`above: ${sole.name}`, ...fields]);
  }
  // An MCP result may hold the same twice, as text and as a value.
  const others = texts.slice(1);
  if (others.every((part) => unwrapPart(part.text, part.isJson, place).text === body.text)) {
    const same = others.map(({ name }) => `${name || "text"}: the same`);
    return withFields(body, [...same, ...fields]);
  }
  return renderAll(parts, place);
}

/** Every part in its place, texts under a line that names them. */
function renderAll(parts: readonly WrapperPart[], place: UnwrapContext): ReadableText {
  let text = "";
  let isIndented = true;
  let fields: string[] = [];
  const flush = () => {
    text += fieldLines(text, fields);
    fields = [];
  };
  for (const part of parts) {
    if ("field" in part) {
      fields.push(`${part.name}: ${part.field}`);
      continue;
    }
    flush();
    const inner = unwrapPart(part.text, part.isJson, place);
    isIndented &&= inner.isIndented;
    text += `${lineBreakAfter(text)}--- ${part.name || "text"} ---\n${inner.text}`;
  }
  flush();
  return { text, bodyChars: text.length, isJson: false, isIndented };
}

/** A text of a wrapper, without the wrapping that it may have itself. */
function unwrapPart(text: string, isJson: boolean, place: UnwrapContext): ReadableText {
  const wrapping = isJson ? "json" : wrappingOf(text);
  const inner =
    wrapping === "wrapped" && place.level < MAX_LEVELS
      ? unwrapAt(text, { ...place, level: place.level + 1 })
      : undefined;
  if (inner !== undefined) return inner;
  const whole = { text, bodyChars: text.length, isJson: false, isIndented: true };
  if (wrapping === "plain") return whole;
  const isOneLine = !text.trimEnd().includes("\n");
  if (text.length > place.maxIndentedChars)
    return { ...whole, isJson: true, isIndented: !isOneLine };
  const indented = indentJson(text);
  if (indented === undefined || !isOneLine) return { ...whole, isJson: indented !== undefined };
  return { ...whole, text: indented, bodyChars: indented.length, isJson: true };
}

/** Adds the small fields of a wrapper after its content. */
function withFields(readable: ReadableText, fields: readonly string[]): ReadableText {
  return { ...readable, text: readable.text + fieldLines(readable.text, fields) };
}

/** Small fields in one line, or in lines of their own if they are many. */
function fieldLines(before: string, fields: readonly string[]): string {
  if (fields.length === 0) return "";
  const line = fields.join(", ");
  const lines =
    line.length <= ONE_LINE_CHARS ? `--- ${line} ---` : ["--- fields ---", ...fields].join("\n");
  return lineBreakAfter(before) + lines;
}

function lineBreakAfter(text: string): string {
  return text === "" || text.endsWith("\n") ? "" : "\n";
}

/** A line about the run of a command, as Codex puts before its output. */
const RUN_LINE =
  /^(?:Chunk ID: |Wall time: |Exit code: |Process exited with code |Process running with session ID |Original token count: |Total output lines: )/;
const MAX_LINES = 10;
const MAX_LINE_CHARS = 200;

/** The lines about the run of a command and where its output begins; `undefined` if there are none. */
export function parseOutputHeader(
  text: string,
): { readonly fields: readonly string[]; readonly start: number } | undefined {
  const head = text.slice(0, MAX_LINES * MAX_LINE_CHARS);
  const fields: string[] = [];
  let at = 0;
  while (fields.length < MAX_LINES) {
    const end = head.indexOf("\n", at);
    if (end === -1 || end - at > MAX_LINE_CHARS) return undefined;
    const line = head.slice(at, end).trimEnd();
    at = end + 1;
    if (line === "Output:") return fields.length === 0 ? undefined : { fields, start: at };
    if (line === "OBSERVATION:" && fields.length === 0) return { fields: [line], start: at };
    if (!RUN_LINE.test(line)) return undefined;
    fields.push(line);
  }
  return undefined;
}
