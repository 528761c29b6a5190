import { parse, type ParseError } from "jsonc-parser";
import { parseConversation, type FormatName } from "context-offload";
import { CommandError, explainError } from "../command-error.js";
import type { Input } from "./find-inputs.js";

const EXPECTED =
  "pass an array of messages, an object that has one, or the log of a coding agent, as JSON or JSONL";

/** The messages of a text, and the text with others in their place. */
export interface ParsedMessages {
  readonly messages: readonly unknown[];
  /** In a file with a message in each line, a message may be given as the text of its line. */
  readonly stringify: (messages: readonly unknown[]) => string;
  /** Messages that, written again, would not have the same bytes: each with its text as it is in the file. */
  readonly inexact: readonly InexactText[];
}

interface InexactText {
  readonly text: string;
  /** Of the message; `undefined` if it is the whole file. */
  readonly index: number | undefined;
}

/** A conversation that was found in a text. */
export interface ParsedText extends ParsedMessages {
  readonly format: FormatName;
  /** Parses what follows in a file with a message in each line. */
  parseMore(text: string, linesBefore: number): ParsedMessages;
}

/** The conversation in a text; an error says where the text is broken. */
export function parseText(text: string, input: Input): ParsedText {
  if (text.trim() === "") {
    throw new CommandError(`${input.shown}: is empty; ${EXPECTED}`);
  }
  const isInLines = !isJson(text);
  if (isInLines) requireJsonLines(text, input, 0);
  try {
    return parseWhole(text, input);
  } catch (cause) {
    const found = isInLines ? parseMessageLines(text, input) : undefined;
    if (found) return found;
    const why = explainError(cause).text.replace(/\.$/, "");
    throw new CommandError(`${input.shown}: ${why}; ${EXPECTED}`, undefined, { cause });
  }
}

function parseWhole(text: string, input: Input): ParsedText {
  const { format, messages, stringify } = parseConversation(text);
  const parseMore = (more: string, linesBefore: number): ParsedMessages => {
    requireJsonLines(more, input, linesBefore);
    return { messages: splitLines(more), stringify: (lines) => lines.join(""), inexact: [] };
  };
  const isExact = typeof messages[0] === "string" || stringify([...messages]) === text;
  return {
    format,
    messages,
    stringify,
    parseMore,
    inexact: isExact ? [] : [{ text, index: undefined }],
  };
}

/** A file with one message in each line; `undefined` if its lines are something else. */
function parseMessageLines(text: string, input: Input): ParsedText | undefined {
  const parsed = messagesByLine(text);
  try {
    const { format } = parseConversation(parsed.messages);
    const parseMore = (more: string, linesBefore: number): ParsedMessages => {
      requireJsonLines(more, input, linesBefore);
      return messagesByLine(more);
    };
    return { ...parsed, format, parseMore };
  } catch {
    return undefined;
  }
}

function messagesByLine(text: string): ParsedMessages {
  const lines = splitLines(text);
  const messages = lines.map((line): unknown => (line.trim() === "" ? line : JSON.parse(line)));
  const write = (message: unknown, line: string): string => {
    return (typeof message === "string" ? message : JSON.stringify(message)) + lineEnd(line);
  };
  return {
    messages: messages.filter((message) => typeof message !== "string"),
    stringify(changed) {
      let at = 0;
      return lines
        .map((line, index) => {
          const before = messages[index];
          if (typeof before === "string") return line;
          const after = changed[at++];
          return after === before ? line : write(after, line);
        })
        .join("");
    },
    inexact: lines
      .filter((line) => line.trim() !== "")
      .flatMap((line, index) => {
        const text = line.slice(0, line.length - lineEnd(line).length);
        return JSON.stringify(JSON.parse(line)) === text ? [] : [{ text, index }];
      }),
  };
}

function lineEnd(line: string): string {
  return /\r?\n?$/.exec(line)?.[0] ?? "";
}

/** Every line with its line break. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function isJson(text: string): boolean {
  return brokenAt(text) === undefined;
}

/** Says where a text ceases to be JSON, whether it is one value or one in each line. */
function requireJsonLines(text: string, { shown }: Input, linesBefore: number): void {
  const lines = text.split("\n");
  const broken = lines.findIndex((line) => line.trim() !== "" && !isJson(line));
  if (broken === -1) return;
  const isByLine =
    linesBefore > 0 || lines.filter((line) => /^\s*[{[].*[}\]]\s*$/.test(line)).length > 1;
  const { why, position } = brokenAt(isByLine ? (lines[broken] ?? "") : text) ?? {
    why: "",
    position: 0,
  };
  if (isByLine) {
    const line = linesBefore + broken + 1;
    throw new CommandError(
      `${shown}: broken JSON at line ${line}: ${why}; correct or remove that line`,
    );
  }
  const before = text.slice(0, position).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  throw new CommandError(`${shown}: broken JSON at ${place}: ${why}; ${EXPECTED}`);
}

function brokenAt(text: string): { readonly why: string; readonly position: number } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    const errors: ParseError[] = [];
    parse(text, errors);
    const position = errors[0]?.offset ?? 0;
    const [why = ""] = message.split(/,? (?:"|in JSON|\.\.\.)/);
    return { why: why.slice(0, 80), position };
  }
}
