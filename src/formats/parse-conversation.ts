import { describeValue } from "../core/errors/describe-value.js";
import { UnknownFormatError } from "../core/errors/unknown-format-error.js";
import { asRecord, isRecord } from "./shared/json-record.js";

/** The messages of a conversation, taken out of what they came in. */
export interface OpenedConversation {
  readonly messages: unknown[];
  /** What was opened, with these messages in place; the same messages give the same text or value. */
  readonly close: (messages: readonly unknown[]) => unknown;
}

/** Under which names files hold their messages; what stands earlier is taken first. */
const MESSAGE_KEYS = ["messages", "traj", "history", "contents", "input", "trajectory"];

const RIGHT =
  "an array of messages, an object that has one under " +
  `${MESSAGE_KEYS.join(", ")}, or the text of a JSONL file`;

/** How text that poses as a tool result begins. */
const TEXT_RESULT = /^\s*(?:<tool_response>|<returncode>|<observation>|observation:)/i;

/**
 * Finds the messages in what a file holds: an array, an object that has them under a usual name, or
 * the text of a JSONL file, whose lines are the messages.
 *
 * @example
 * const file = openConversation(JSON.parse(text));
 * const { messages } = await offloader.offload(file.messages);
 * await save(file.close(messages));
 */
export function openConversation(value: unknown): OpenedConversation {
  if (typeof value === "string") return openLines(value);
  if (Array.isArray(value)) {
    return { messages: requireMessages(value), close: (messages) => messages };
  }
  if (!isRecord(value)) throw refusal(`It is ${describeValue(value)}, not ${RIGHT}`);
  const key = MESSAGE_KEYS.find((name) => Array.isArray(value[name]));
  if (key === undefined) {
    throw refusal(`It is ${describeValue(value)}, not ${RIGHT}`);
  }
  return {
    messages: requireMessages(value[key] as unknown[]),
    close: (messages) => (messages === value[key] ? value : { ...value, [key]: messages }),
  };
}

/** Every line with the line break that ends it, so that together they are the text again. */
function openLines(text: string): OpenedConversation {
  if (isDocument(text)) {
    throw refusal("It is the text of one JSON value: parse it, and hand in what it holds");
  }
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const first = lines.find((line) => line.trim() !== "");
  if (first === undefined) throw refusal("It is a text without lines");
  if (isDocument(first)) {
    throw refusal("Every line of it is a conversation of its own: open each by itself");
  }
  if (!lines.some((line) => isRecord(parse(line)))) {
    throw refusal("It is a text in which no line is a JSON object");
  }
  return { messages: lines, close: (messages) => messages.join("") };
}

/** A JSON value that holds messages, rather than a line that is one. */
function isDocument(text: string): boolean {
  const value = parse(text);
  return Array.isArray(value) || holdsMessages(value);
}

function requireMessages(messages: unknown[]): unknown[] {
  if (messages.length > 0 && messages.every(holdsMessages)) {
    const name = MESSAGE_KEYS.find((key) => Array.isArray(asRecord(messages[0])[key]));
    throw refusal(
      `It holds conversations, ${messages.length} of them, not one: open the ` +
        `${JSON.stringify(name)} of each by itself`,
    );
  }
  if (hasResultsAsText(messages)) {
    throw refusal(
      "Its tool results are plain text in messages of the user, without an id that says which " +
        "call each of them answers, so that nothing could be put back in its place",
    );
  }
  return messages;
}

function holdsMessages(value: unknown): boolean {
  const record = asRecord(value);
  if (record["role"] !== undefined || record["type"] !== undefined) return false;
  return MESSAGE_KEYS.some((key) => Array.isArray(record[key]));
}

/** Whether the user does little else than to hand on what a program printed. */
function hasResultsAsText(messages: readonly unknown[]): boolean {
  let answers = 0;
  let results = 0;
  for (const [index, message] of messages.entries()) {
    const { role, tool_calls, content } = asRecord(message);
    if (role === "tool" || tool_calls !== undefined) return false;
    if (role !== "user" || asRecord(messages[index - 1])["role"] !== "assistant") continue;
    answers++;
    if (TEXT_RESULT.test(textOf(content))) results++;
  }
  return results > 0 && results * 2 >= answers;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const { type, text } = asRecord(Array.isArray(content) ? content[0] : undefined);
  return type === "text" && typeof text === "string" ? text : "";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(why: string): UnknownFormatError {
  return new UnknownFormatError(`This is no conversation that can be offloaded. ${why}.`, []);
}
