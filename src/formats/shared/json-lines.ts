import type { Content } from "../../core/engine/content.js";
import type {
  Format,
  FormatOptions,
  FormatResult,
  MessageReading,
} from "../../core/engine/format.js";
import { isRecord, type JsonRecord } from "./json-record.js";
import { readRawJson, spliceJson, type JsonPath } from "./splice-json.js";

/** A tool result inside of one line. */
export interface LineResult extends Omit<FormatResult, "slot" | "wrapping"> {
  /** Where in the line its content stands. */
  readonly path: JsonPath;
  /** What stands there instead, when the content leaves. */
  readonly replacement: (text: string, options: FormatOptions) => unknown;
}

export interface LineReading extends Omit<MessageReading, "results"> {
  readonly results: readonly LineResult[];
}

/** A form in which conversations are recorded, one JSON object per line. */
export interface LineForm extends Pick<Format, "describeTools" | "readCall" | "answerCall"> {
  readonly name: string;
  /** Whose lines these are, to stand after "lines of". */
  readonly origin: string;
  isLine(line: JsonRecord): boolean;
  read(line: JsonRecord, options: FormatOptions): LineReading;
}

/** A line that is not sent to the model, or that holds nothing of interest. */
export const EMPTY_READING: LineReading = {
  fromModel: false,
  calls: [],
  results: [],
  otherChars: () => 0,
};

/** So many lines are enough to know a form by. */
const LINES_LOOKED_AT = 64;

/**
 * A dialect whose messages are the lines of a JSONL file, with or without their line ends. A result
 * is replaced in the text of its line, and every other character of the line stays as it is.
 */
export function createLineFormat(form: LineForm): Format {
  const readLine = (message: unknown, options: FormatOptions): LineReading => {
    const line = parseLine(message);
    return line ? form.read(line, options) : EMPTY_READING;
  };
  const { name, describeTools, readCall, answerCall } = form;
  return {
    name,
    mismatch: (messages) => mismatchOfLines(messages, form),

    read(message, options) {
      const reading = readLine(message, options);
      return {
        ...reading,
        results: reading.results.map((result, slot) => describe(result, slot, message as string)),
      };
    },

    replace(message, texts, options) {
      const { results } = readLine(message, options);
      return texts.reduce((line, { slot, text }) => {
        const { path, replacement } = resultAt(results, slot);
        return spliceJson(line, path, JSON.stringify(replacement(text, options)));
      }, message as string);
    },

    restore(message, contents) {
      const { results } = readLine(message, { media: "keep" });
      return contents.reduce((line, { slot, content, wrapping }) => {
        const raw = typeof wrapping === "string" ? wrapping : JSON.stringify(content);
        return spliceJson(line, resultAt(results, slot).path, raw);
      }, message as string);
    },

    describeTools,
    readCall,
    answerCall,
  };
}

function describe(result: LineResult, slot: number, line: string): FormatResult {
  const { id, content, soleText, chars, toolName, isError, path } = result;
  return {
    ...{ slot, id, content, soleText, chars, toolName, isError },
    // Found out only for what leaves, since it takes another look at the line.
    get wrapping() {
      return unlessUsual(readRawJson(line, path), content);
    },
  };
}

/** The text of a value, when writing the value would give another: other escapes, other spaces. */
function unlessUsual(raw: string | undefined, content: Content): string | undefined {
  return raw === JSON.stringify(content) ? undefined : raw;
}

function mismatchOfLines(messages: readonly unknown[], form: LineForm): string | undefined {
  let seen = 0;
  let known = 0;
  for (const [index, message] of messages.entries()) {
    if (typeof message !== "string") return `message ${index} is no line of text`;
    if (seen === LINES_LOOKED_AT || message.trim() === "") continue;
    seen++;
    const line = parseLine(message);
    if (line && form.isLine(line)) known++;
  }
  if (seen === 0 || known * 2 > seen) return undefined;
  return `${known} of the first ${seen} lines are lines of ${form.origin}`;
}

/** The object in a line; blank and broken lines have none. */
function parseLine(message: unknown): JsonRecord | undefined {
  if (typeof message !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(message);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function resultAt(results: readonly LineResult[], slot: number): LineResult {
  const result = results[slot];
  if (!result) throw new RangeError(`the line has no result ${slot}`);
  return result;
}
