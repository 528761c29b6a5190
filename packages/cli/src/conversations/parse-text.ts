import {
  claudeCodeFormat,
  codexFormat,
  factoryDroidFormat,
  kimiFormat,
  opencodeEventsFormat,
  parseConversation,
  piFormat,
  qwenCodeFormat,
  type Format,
  type FormatName,
} from "context-offload/formats";
import { UnknownFormatError, type FormatMismatch } from "context-offload/errors";
import { parse, type ParseError } from "jsonc-parser";
import {
  BrokenFileError,
  CommandError,
  NotConversationError,
  explainError,
} from "../command-error.js";
import { renderTable } from "../terminal/table.js";
import type { Input } from "./conversation-files.js";

/** The messages of a text, and the text with others in their place. */
export interface ParsedMessages {
  readonly messages: readonly unknown[];
  /** In a file with a message in each line, a message may be given as the text of its line. */
  readonly stringify: (messages: readonly unknown[]) => string;
  /** The same; what `restore` could not write again to the byte goes through `keep`, and is written as that says. */
  readonly stringifyExactly: (messages: readonly unknown[], keep: KeepText) => Promise<string>;
  /** The line of a message, in a file with a message in each line that is parsed. */
  readonly lineOf?: (index: number) => string;
  /** How many lines of an agent's log are not JSON. They are kept as they are. */
  readonly brokenLines: number;
}

/** Keeps a text that is written in another way, and returns how to write it so that it can be found again. */
export type KeepText = (text: string, written: string) => Promise<string>;

/** A conversation that was found in a text. */
export interface ParsedText extends ParsedMessages {
  readonly format: FormatName;
  /** The format of what follows. */
  readonly formatOfMore: FormatName | Format;
  /** Parses what follows in a file with a message in each line. */
  parseMore(text: string, linesBefore: number): ParsedMessages;
}

/** What an agent writes line by line. Where it was ended in the middle of a line, that stays broken. */
const LOGS: readonly Format[] = [
  ...[claudeCodeFormat, codexFormat, factoryDroidFormat, kimiFormat],
  ...[opencodeEventsFormat, piFormat, qwenCodeFormat],
];

/** The conversation in a text; an error says where the text is broken. */
export function parseText(text: string, input: Input): ParsedText {
  if (text.trim() === "") {
    throw new BrokenFileError(`${input.shown}: is empty; ${EXPECTED}`);
  }
  try {
    return parseWhole(text, input);
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    const isInLines = !isJson(text);
    if (isInLines) requireJsonLines(text, input, 0);
    const found = isInLines ? parseMessageLines(text, input) : undefined;
    if (found) return found;
    const why = explainRejection(cause);
    throw new NotConversationError(`${input.shown}: ${why}`, undefined, { cause });
  }
}

function parseWhole(text: string, input: Input): ParsedText {
  const { format, messages, stringify, brokenLines } = parseConversation(text);
  const log = LOGS.find(({ name }) => name === format);
  const isLog = log !== undefined;
  if (brokenLines > 0 && !isLog) requireJsonLines(text, input, 0);
  const parseMore = (more: string, linesBefore: number): ParsedMessages => {
    if (!isLog) requireJsonLines(more, input, linesBefore);
    const lines = splitLines(more);
    return {
      messages: lines,
      stringify: (changed) => changed.join(""),
      stringifyExactly: (changed) => Promise.resolve(changed.join("")),
      brokenLines: isLog ? lines.filter(isBroken).length : 0,
    };
  };
  const stringifyExactly = async (after: readonly unknown[], keep: KeepText): Promise<string> => {
    const isExact = typeof messages[0] === "string" || stringify([...messages]) === text;
    return isExact ? stringify(after) : keep(text, stringify(after));
  };
  // Of a long log, some part may hold nothing but broken lines, or those of another program.
  const formatOfMore = log ? { ...log, mismatch: () => undefined } : format;
  return { format, formatOfMore, messages, stringify, stringifyExactly, parseMore, brokenLines };
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
    return { ...parsed, format, formatOfMore: format, parseMore };
  } catch {
    return undefined;
  }
}

function messagesByLine(text: string): ParsedMessages {
  const lines = splitLines(text);
  const rows = lines
    .filter((line) => line.trim() !== "")
    .map((line) => ({ line, message: JSON.parse(line) as unknown }));
  const write = (message: unknown): string =>
    typeof message === "string" ? message : JSON.stringify(message);
  const textOf = (line: string): string => line.slice(0, line.length - lineEnd(line).length);
  const stringify = (changed: readonly unknown[]): string => {
    let at = 0;
    return lines
      .map((line) => {
        if (line.trim() === "") return line;
        const before = rows[at]?.message;
        const after = changed[at++];
        return after === before ? line : write(after) + lineEnd(line);
      })
      .join("");
  };
  return {
    messages: rows.map(({ message }) => message),
    stringify,
    async stringifyExactly(changed, keep) {
      const written: unknown[] = [];
      for (const [at, { line, message }] of rows.entries()) {
        const isExact = changed[at] === message || JSON.stringify(message) === textOf(line);
        written.push(isExact ? changed[at] : await keep(textOf(line), write(changed[at])));
      }
      return stringify(written);
    },
    lineOf: (index) => textOf(rows[index]?.line ?? ""),
    brokenLines: 0,
  };
}

function lineEnd(line: string): string {
  return /\r?\n?$/.exec(line)?.[0] ?? "";
}

/** Every line with its line break. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function isBroken(line: string): boolean {
  return line.trim() !== "" && !isJson(line);
}

function isJson(text: string): boolean {
  return brokenAt(text) === undefined;
}

/** Says where a text ceases to be JSON, whether it is one value or one in each line. */
function requireJsonLines(text: string, { shown }: Input, linesBefore: number): void {
  const lines = text.split("\n");
  const broken = lines.findIndex(isBroken);
  if (broken === -1) return;
  const isByLine =
    linesBefore > 0 || lines.filter((line) => /^\s*[{[].*[}\]]\s*$/.test(line)).length > 1;
  const { why, position } = brokenAt(isByLine ? (lines[broken] ?? "") : text) ?? {
    why: "",
    position: 0,
  };
  if (isByLine) {
    const line = linesBefore + broken + 1;
    throw new BrokenFileError(
      `${shown}: broken JSON at line ${line}: ${why}; correct or remove that line`,
    );
  }
  const before = text.slice(0, position).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  throw new BrokenFileError(`${shown}: broken JSON at ${place}: ${why}; ${EXPECTED}`);
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

export const EXPECTED =
  "pass an array of messages, an object that has one, or the log of a coding agent, as JSON or JSONL";

/**
 * Why a text is not taken: what was seen in it, and each format that was tried, nearest first. The
 * library's own advice, such as to pass your own format, is of no use at a command line.
 */
export function explainRejection(error: unknown): string {
  if (!(error instanceof UnknownFormatError)) return `${explainError(error).text}; ${EXPECTED}`;
  const { mismatches } = error;
  const near = mismatches.filter(({ isNear }) => isNear);
  const far = mismatches.filter(({ isNear }) => !isNear);
  const [nearest] = near;
  const headline =
    seenIn(error.message) ??
    (nearest
      ? `no format fits these messages, the nearest is ${nearest.format}; convert them to one of these`
      : `no format fits even one of these messages; ${EXPECTED}`);
  const between = near.length > 0 && far.length > 0 ? ["These do not fit a single message:"] : [];
  return [headline, ...linesOf(near), ...between, ...linesOf(far)].join("\n");
}

/** What the library saw instead of messages, with what to do about it here. */
function seenIn(message: string): string | undefined {
  const [, first = "", rest = ""] =
    /^This is not a conversation that can be offloaded\. (.)(.*?)\.?$/s.exec(message) ?? [];
  if (first === "") return undefined;
  const seen = `not a conversation that can be offloaded: ${first.toLowerCase()}${rest}`;
  const [several = ""] = seen.split(": parse ");
  if (several !== seen) return `${several}; put each into its own file`;
  // The others say what was expected, or are about what can be done in no other way.
  return rest.startsWith("o line") ? `${seen}; ${EXPECTED}` : seen;
}

function linesOf(mismatches: readonly FormatMismatch[]): string[] {
  const rows = mismatches.map(({ format, why }) => [`  ${format}`, why]);
  return renderTable([{ title: "" }, { title: "" }], rows)
    .split("\n")
    .slice(1);
}
