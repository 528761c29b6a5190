import type {
  Format,
  FormatParts,
  FormatResult,
  SlotContent,
  SlotText,
} from "../../core/engine/format.js";
import { asRecord, isRecord, type JsonRecord } from "./json-record.js";
import { valueAt } from "./message-parts.js";
import { relayTo } from "./visitors.js";
import { readRawJson, spliceJson, type JsonPath } from "./splice-json.js";

/** A file format for recorded conversations, with one JSON object per line. */
export interface LineForm<Name extends string, Tools, Answer> {
  readonly name: Name;
  /** Where the lines come from, as a phrase that follows "lines of". */
  readonly origin: string;
  /** Whether a line is certainly in this form or certainly not; `undefined` if it may be either. */
  isLine(line: JsonRecord): boolean | undefined;
  /** The key of the line's message to or from the model; `undefined` if it has none. */
  messageKey(line: JsonRecord): string | undefined;
  /** The format of that message. */
  readonly messages: Format<unknown, Tools, Answer>;
  /** The path to the content of a result in that message. */
  contentPath(message: JsonRecord, slot: number): JsonPath;
}

/** How many lines are examined to recognize a form. */
const LINES_LOOKED_AT = 64;

/**
 * A format whose messages are the lines of a JSONL file, with or without their line breaks. A result
 * is replaced within the text of its line; every other character of the line is unchanged.
 */
export function createLineFormat<const Name extends string, Tools, Answer>(
  form: LineForm<Name, Tools, Answer>,
): Format<unknown, Tools, Answer> & { readonly name: Name } {
  const { name, messages: inner } = form;
  const find = (line: unknown) => findMessage(line, form);
  return {
    name,
    mismatch: (lines) => mismatchOfLines(lines, form),

    read(line, visitor, options) {
      const found = find(line);
      if (!found) return;
      const { message, pathOf } = found;
      const relay = relayTo(visitor, (result) => withRaw(result, line as string, pathOf));
      inner.read(message, relay, options);
    },

    replace(line: unknown, texts: readonly SlotText[], options) {
      const found = find(line);
      if (!found) return line;
      const replaced = inner.replace(found.message, texts, options);
      return texts.reduce((text, { slot }) => {
        const path = form.contentPath(found.message, slot);
        return spliceJson(text, found.pathOf(slot), JSON.stringify(valueAt(replaced, path)));
      }, line as string);
    },

    restore(line: unknown, contents: readonly SlotContent[]) {
      const found = find(line);
      if (!found) return line;
      return contents.reduce((text, { slot, content, wrapping }) => {
        const raw = typeof wrapping === "string" ? wrapping : JSON.stringify(content);
        return spliceJson(text, found.pathOf(slot), raw);
      }, line as string);
    },

    ...(inner.parts ? { parts: partsOfLines(inner.parts, find) } : {}),
    describeTools: (tools) => inner.describeTools(tools),
    readCall: (call) => inner.readCall(call),
    answerCall: (call, answer) => inner.answerCall(call, answer),
  };
}

function findMessage<Name extends string, Tools, Answer>(
  line: unknown,
  form: LineForm<Name, Tools, Answer>,
) {
  const parsed = parseLine(line);
  const key = parsed && form.messageKey(parsed);
  if (key === undefined) return undefined;
  const message = asRecord(parsed?.[key]);
  const pathOf = (slot: number): JsonPath => [key, ...form.contentPath(message, slot)];
  return { key, message, pathOf };
}

/** The same parts, in the text of their line. */
function partsOfLines(
  inner: FormatParts,
  find: (line: unknown) => { readonly key: string; readonly message: JsonRecord } | undefined,
): FormatParts {
  return {
    find(line) {
      const found = find(line);
      if (!found) return [];
      const { key, message } = found;
      return inner.find(message).map((part) => ({ ...part, path: [key, ...part.path] }));
    },
    isSigned: (line) => inner.isSigned(find(line)?.message),
    put: (line, path, value, raw = JSON.stringify(value)) => spliceJson(line as string, path, raw),
    raw(line, { path, value }) {
      const raw = readRawJson(line as string, path);
      return raw === JSON.stringify(value) ? undefined : raw;
    },
  };
}

/** Adds the raw JSON of the content as wrapping, if JSON.stringify would write it differently. */
function withRaw(
  result: FormatResult,
  line: string,
  pathOf: (slot: number) => JsonPath,
): FormatResult {
  const { slot, id, content, soleText, chars, toolName, isError } = result;
  return {
    ...{ slot, id, content, soleText, chars, toolName, isError },
    // Computed only for what is offloaded, since it takes another pass over the line.
    get wrapping() {
      const raw = readRawJson(line, pathOf(slot));
      return raw === JSON.stringify(content) ? undefined : raw;
    },
  };
}

function mismatchOfLines(
  lines: readonly unknown[],
  { isLine, origin }: Pick<LineForm<string, unknown, unknown>, "isLine" | "origin">,
): string | undefined {
  let seen = 0;
  let own = 0;
  let foreign = 0;
  for (const [index, line] of lines.entries()) {
    if (typeof line !== "string") return `message ${index} is not a line of text`;
    if (seen === LINES_LOOKED_AT || line.trim() === "") continue;
    seen++;
    const parsed = parseLine(line);
    const isOwn = parsed ? isLine(parsed) : false;
    if (isOwn === true) own++;
    else if (isOwn === false) foreign++;
  }
  if (seen === 0 || own > foreign) return undefined;
  return `${own} of the first ${seen} lines are lines of ${origin}`;
}

/** The object in a line; `undefined` for blank and broken lines. */
function parseLine(line: unknown): JsonRecord | undefined {
  if (typeof line !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
