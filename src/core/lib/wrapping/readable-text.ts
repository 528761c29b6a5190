import { createJsonIndenter } from "../json/json-indenter.js";
import { decodeWtf8, encodeWtf8 } from "../text/wtf8.js";
import { readJsonValue } from "./json-value.js";
import { readOutputHeader } from "./output-header.js";
import { looksPrinted, readPrinted } from "./printed-value.js";
import { NotWrappedError, type WrappedValue } from "./wrapped-value.js";
import { partsOf, type WrapperPart } from "./wrapper-parts.js";

/** A text without what a client or a tool wrapped it in. */
export interface ReadableText {
  /** The content, and after it a line with the small fields of its wrapper. */
  readonly text: string;
  /** How much of `text` is the content itself: what a digest describes. */
  readonly bodyChars: number;
  /** Whether the content itself is JSON. */
  readonly isJson: boolean;
}

/** What a text is, as far as its first characters tell. */
export type Wrapping = "plain" | "json" | "wrapped";

/** How many characters decide what a text is. */
export const OPENING_CHARS = 16_384;

/** A wrapper may hold another one; deeper nesting is not looked at. */
const MOST_LEVELS = 4;
/** More small fields than this get a line each. */
const ONE_LINE_CHARS = 300;

/** What a text is, by its first `OPENING_CHARS` characters. Plain text costs next to nothing. */
export function wrappingOf(text: string): Wrapping {
  const opening = text.slice(0, OPENING_CHARS);
  const first = /[^\s\ufeff]/.exec(opening.slice(0, 256))?.[0];
  const isJson = first === "{" || first === "[";
  if (!isJson && first !== '"' && !isOther(opening)) return "plain";
  if (readOutputHeader(opening) !== undefined) return "wrapped";
  try {
    const value = readValue(opening, opening.length === text.length);
    if (value !== undefined && partsOf(value) !== undefined) return "wrapped";
  } catch (error) {
    if (!(error instanceof NotWrappedError)) throw error;
  }
  return isJson ? "json" : "plain";
}

function isOther(opening: string): boolean {
  return readOutputHeader(opening) !== undefined || looksPrinted(opening);
}

/** A wrapped text as it should be read; `undefined` if it turns out not to be wrapped. */
export function unwrap(text: string, level = 1): ReadableText | undefined {
  const header = readOutputHeader(text);
  if (header !== undefined) {
    const { fields, start } = header;
    return withFields(readPart(text.slice(start), false, level), fields);
  }
  try {
    const value = readValue(text, true);
    const parts = value && partsOf(value);
    return parts && render(parts, level);
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

function readValue(text: string, isWhole: boolean): WrappedValue | undefined {
  return looksPrinted(text) ? readPrinted(text) : readJsonValue(text, isWhole);
}

function render(parts: readonly WrapperPart[], level: number): ReadableText | undefined {
  const texts = parts.flatMap((part) => ("text" in part ? [part] : []));
  const [sole, other] = texts;
  if (sole === undefined) return undefined;
  const fields = parts.flatMap((part) => ("field" in part ? [`${part.name}: ${part.field}`] : []));
  const body = readPart(sole.text, sole.isJson, level);
  if (other === undefined) {
    return withFields(body, sole.name === "" ? fields : [`above: ${sole.name}`, ...fields]);
  }
  // An MCP result may hold the same JSON twice, as text and as a value.
  if (
    texts.length === 2 &&
    body.isJson &&
    readPart(other.text, other.isJson, level).text === body.text
  )
    return withFields(body, [`${other.name || "text"}: the same`, ...fields]);
  const text = renderAll(parts, level);
  return { text, bodyChars: text.length, isJson: false };
}

/** Every part in its place, texts under a line that names them. */
function renderAll(parts: readonly WrapperPart[], level: number): string {
  let text = "";
  let fields: string[] = [];
  const flush = () => {
    text = withFields({ text, bodyChars: 0, isJson: false }, fields).text;
    fields = [];
  };
  for (const part of parts) {
    if ("field" in part) {
      fields.push(`${part.name}: ${part.field}`);
      continue;
    }
    flush();
    const label = `--- ${part.name || "text"} ---\n`;
    text = onNewLine(text) + label + readPart(part.text, part.isJson, level).text;
  }
  flush();
  return text;
}

/** A text of a wrapper, without the wrapping that it may have itself. */
function readPart(text: string, isJson: boolean, level: number): ReadableText {
  const wrapping = isJson ? "json" : wrappingOf(text);
  const inner = wrapping === "wrapped" && level < MOST_LEVELS ? unwrap(text, level + 1) : undefined;
  if (inner !== undefined) return inner;
  const indented = wrapping === "plain" ? undefined : indentJson(text);
  const isOneLine = !text.trimEnd().includes("\n");
  const shown = indented !== undefined && isOneLine ? indented : text;
  return { text: shown, bodyChars: shown.length, isJson: indented !== undefined };
}

/** Adds the small fields of a wrapper in one line, or in lines of their own if they are many. */
function withFields(readable: ReadableText, fields: readonly string[]): ReadableText {
  if (fields.length === 0) return readable;
  const line = fields.join(", ");
  const added =
    line.length <= ONE_LINE_CHARS ? `--- ${line} ---` : ["--- fields ---", ...fields].join("\n");
  return { ...readable, text: onNewLine(readable.text) + added };
}

function onNewLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
