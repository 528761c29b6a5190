import { requireArray } from "../core/arguments.js";
import { describeValue } from "../core/errors/context-offload-error.js";
import { UnknownFormatError, type FormatMismatch } from "../core/errors/argument-errors.js";
import { detectFormat } from "./detect-format.js";
import type { FormatName } from "./formats.js";
import { asRecord, isRecord, findTextResults } from "./shared/json-record.js";
import { putAt, valueAt } from "./shared/message-parts.js";

/** A conversation that was found in a file or a value. */
export interface ParsedConversation {
  readonly format: FormatName;
  /** The messages; for a JSONL file, its lines, each with its line break. */
  readonly messages: unknown[];
  /**
   * The text of the file with these messages in it. In a JSONL file, unchanged lines are the same byte
   * for byte; a JSON file keeps its indentation. A value becomes JSON, indented by two spaces.
   */
  readonly stringify: (messages: readonly unknown[]) => string;
  /** How many lines of a JSONL file are neither JSON nor blank. They are kept as they are. */
  readonly brokenLines: number;
}

/** Where files hold their messages; earlier ones take precedence. */
const MESSAGE_PATHS = [
  ...["messages", "traj", "history", "contents", "input", "trajectory"].map((key) => [key]),
  // Sessions of Google ADK and OpenHands, and of Goose.
  ...["events", "conversation"].map((key) => [key]),
  // A request to a model, recorded with what it returned.
  ["input", "messages"],
  // The state of a LangGraph thread, and its checkpoints.
  ["values", "messages"],
  ["channel_values", "messages"],
  ["checkpoint", "channel_values", "messages"],
] as const;

const EXPECTED =
  "an array of messages, an object that has one under " +
  `${MESSAGE_PATHS.map((path) => path.join(".")).join(", ")}, or the text of a JSON or JSONL file`;

/**
 * Finds the messages in the text of a JSON or JSONL file, or in a value, and detects their format.
 *
 * @example
 * const { messages, stringify } = parseConversation(await readFile("session.jsonl", "utf8"));
 * const offloaded = await offloader.offload(messages);
 * await writeFile("session.jsonl", stringify(offloaded.messages));
 * @throws {UnknownFormatError} if it is not a conversation in a known format; the message says why.
 */
export function parseConversation(textOrValue: unknown): ParsedConversation {
  if (typeof textOrValue !== "string") return parseValue(textOrValue, 2);
  const value = parseJson(textOrValue);
  if (!isDocument(value)) return parseLines(textOrValue, value);
  const indent = /^[[{]\r?\n([ \t]+)/.exec(textOrValue.trimStart())?.[1] ?? 0;
  const lineEnd = /\r?\n?$/.exec(textOrValue)?.[0] ?? "";
  const parsed = parseValue(value, indent);
  return {
    ...parsed,
    stringify: (messages) =>
      messages === parsed.messages ? textOrValue : parsed.stringify(messages) + lineEnd,
  };
}

function parseValue(value: unknown, indent: number | string): ParsedConversation {
  if (Array.isArray(value)) {
    return parsed(requireOne(value), (messages) => JSON.stringify(messages, null, indent));
  }
  const path = findPath(value);
  if (!path) throw notConversation(value);
  return parsed(requireOne(valueAt(value, path) as unknown[]), (messages) =>
    JSON.stringify(putAt(value, path, messages), null, indent),
  );
}

function findPath(value: unknown): readonly string[] | undefined {
  return MESSAGE_PATHS.find((path) => Array.isArray(valueAt(value, path)));
}

/** Every line with its line break, so that joined they are the text again. */
function parseLines(text: string, value: unknown): ParsedConversation {
  const lines: unknown[] = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const values = (lines as string[]).map(parseJson);
  const objects = values.filter(isRecord);
  const [first] = objects;
  if (!first) {
    if (value !== undefined) throw notConversation(value);
    throw rejection(text.trim() === "" ? "It is empty" : "No line of it is a JSON object");
  }
  if (isDocument(first)) {
    throw rejection("Every line of it is a conversation: parse each line by itself");
  }
  const brokenLines = (lines as string[]).filter(
    (line, at) => values[at] === undefined && line.trim() !== "",
  ).length;
  return { ...parsed(lines, (messages) => messages.join(""), value), brokenLines };
}

/** @param whole - The value of a text that is one, rather than one in each line. */
function parsed(
  messages: unknown[],
  stringify: ParsedConversation["stringify"],
  whole?: unknown,
): ParsedConversation {
  const found = detectFormat(messages);
  if ("format" in found) {
    return {
      format: found.format.name,
      messages,
      stringify: (changed) => stringify(requireArray("messages", changed)),
      brokenLines: 0,
    };
  }
  const why = findTextResults(messages.map((message) => parseIfLine(message)));
  if (why !== undefined) throw rejection(`I${why.slice(1)}`);
  const { mismatches } = found;
  if (whole !== undefined && !mismatches.some(({ isNear }) => isNear)) {
    throw notConversation(whole, mismatches);
  }
  throw UnknownFormatError.ofMismatches(mismatches);
}

function parseIfLine(message: unknown): unknown {
  return typeof message === "string" ? parseJson(message) : message;
}

/** A JSON value that holds messages, rather than a line that is one. */
function isDocument(value: unknown): boolean {
  return Array.isArray(value) || holdsMessages(value) || Array.isArray(asRecord(value)["messages"]);
}

function holdsMessages(value: unknown): boolean {
  const record = asRecord(value);
  if (record["role"] !== undefined || record["type"] !== undefined) return false;
  return findPath(record) !== undefined;
}

function requireOne(messages: unknown[]): unknown[] {
  if (messages.length === 0 || !messages.every(holdsMessages)) return messages;
  const name = JSON.stringify(findPath(messages[0])?.join("."));
  throw rejection(`It holds ${messages.length} conversations: parse the ${name} of each by itself`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notConversation(
  value: unknown,
  mismatches?: readonly FormatMismatch[],
): UnknownFormatError {
  if (isRecord(value)) requireOne(Object.values(value));
  return rejection(`It is ${describeValue(value)}, not ${EXPECTED}`, mismatches);
}

function rejection(why: string, mismatches?: readonly FormatMismatch[]): UnknownFormatError {
  const message = `This is not a conversation that can be offloaded. ${why}.`;
  return new UnknownFormatError(message, mismatches);
}
