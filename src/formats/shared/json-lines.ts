import type { Format } from "../../core/engine/format.js";
import { parseJson } from "../../core/lib/json/plain-json.js";
import { asRecord, isRecord, type JsonRecord } from "./json-record.js";
import { lineSplicer, type JsonPath } from "./line-splicer.js";

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
  /** The path to the content of a result in that message. Default: to whatever a reference changes. */
  readonly contentPath?: (message: JsonRecord, slot: number) => JsonPath;
}

/** How many lines are examined to recognize a form. */
export const LINES_LOOKED_AT = 64;

/**
 * A format whose messages are the lines of a JSONL file, with or without their line breaks. A result
 * is replaced within the text of its line; every other character of the line is unchanged.
 */
export function createLineFormat<const Name extends string, Tools, Answer>(
  form: LineForm<Name, Tools, Answer>,
): Format<unknown, Tools, Answer> & { readonly name: Name } {
  const { name, messages: inner, contentPath } = form;
  const find = (line: unknown) => {
    const parsed = parseLine(line);
    const key = parsed && form.messageKey(parsed);
    return key === undefined ? undefined : { message: asRecord(parsed?.[key]), at: [key] };
  };
  return {
    name,
    mismatch: (lines) => mismatchOfLines(lines, form),
    ...lineSplicer(inner, find, contentPath),
    describeTools: (tools) => inner.describeTools(tools),
    readCall: (call) => inner.readCall(call),
    answerCall: (call, answer) => inner.answerCall(call, answer),
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
    // A line that a crash cut short is nobody's.
    const isOwn = parsed && isLine(parsed);
    if (isOwn === true) own++;
    else if (isOwn === false) foreign++;
  }
  if (seen === 0 || own > foreign) return undefined;
  return `${own} of the first ${seen} lines are lines of ${origin}`;
}

/** The object in a line; `undefined` for blank and broken lines. */
export function parseLine(line: unknown): JsonRecord | undefined {
  const value = typeof line === "string" ? parseJson(line) : undefined;
  return isRecord(value) ? value : undefined;
}
