import type { Format, FormatReadOptions, MessageVisitor } from "../core/engine/format.js";
import { nonEmptyText } from "../core/lib/json/plain-json.js";
import { geminiFormat } from "./gemini.js";
import {
  asList,
  asRecord,
  countJsonChars,
  isRecord,
  type JsonRecord,
} from "./shared/json-record.js";
import { describeParts } from "./shared/message-parts.js";
import { firstMismatch, relayTo } from "./shared/visitors.js";

const TYPES: readonly unknown[] = ["user", "gemini", "model", "info", "warning", "error"];

/**
 * Chats of Gemini CLI: a message of type `gemini` holds its calls, and each call its result, as parts
 * of the Gemini API. `resultDisplay` repeats a result for the screen and is kept.
 */
export const geminiCliFormat = {
  name: "gemini-cli" as const,

  mismatch: (messages) => firstMismatch(messages, mismatchOf),

  read(message, visitor, options) {
    const { type, content, parts, toolCalls } = asRecord(message);
    if (type === "gemini" || type === "model") visitor.modelMessage();
    readText(content ?? parts, visitor, options);
    const calls = asList(toolCalls).map(asRecord);
    for (const { id, name, args } of calls) {
      visitor.call(nonEmptyText(id), String(name), args);
      if (options.countOther) visitor.other(countJsonChars(args));
    }
    for (const call of calls) {
      if (isAnsweredWithoutParts(call)) visitor.answer?.(nonEmptyText(call["id"]));
    }
    const owners = calls.flatMap((call) => asList(call["result"]).map(() => call));
    const relay = relayTo(visitor, (result) => {
      const { id, name } = owners[result.slot] ?? {};
      return {
        ...result,
        id: result.id ?? nonEmptyText(id),
        toolName: result.toolName ?? nonEmptyText(name),
      };
    });
    geminiFormat.read(asContent(message), relay, options);
  },

  replace: (message, texts, options) =>
    withParts(message, geminiFormat.replace(asContent(message), texts, options)),

  restore: (message, originals) =>
    withParts(message, geminiFormat.restore(asContent(message), originals)),

  describeTools: (tools) => geminiFormat.describeTools(tools),
  readCall: (call) => geminiFormat.readCall(call),
  answerCall: (call, answer) => geminiFormat.answerCall(call, answer),

  parts: describeParts(({ type, content, toolCalls }) => [
    ...(type === "user" && typeof content === "string"
      ? [{ kind: "userMessage" as const, path: ["content"] }]
      : []),
    ...asList(toolCalls).map((call, index) => ({
      kind: "toolInput" as const,
      path: ["toolCalls", index, "args"],
      id: nonEmptyText(asRecord(call)["id"]),
    })),
  ]),
} satisfies Format;

function mismatchOf(message: JsonRecord): string | undefined {
  if (isNote(message)) return undefined;
  const { type, timestamp, content, parts, role } = message;
  if (!TYPES.includes(type) || role !== undefined) {
    return `has the type ${JSON.stringify(type)} instead of user or gemini`;
  }
  if (typeof timestamp !== "string") return "has no timestamp";
  return (content ?? parts) === undefined ? "has neither content nor parts" : undefined;
}

/** Lines of a file that are not messages: its head, and changes of it. */
function isNote(line: JsonRecord): boolean {
  const { $set, $rewindTo, sessionId, projectHash } = line;
  if (isRecord($set) || typeof $rewindTo === "string") return true;
  return typeof sessionId === "string" && typeof projectHash === "string";
}

function readText(
  content: unknown,
  visitor: MessageVisitor,
  { countOther }: FormatReadOptions,
): void {
  for (const part of Array.isArray(content) ? content : [content]) {
    const text: unknown = typeof part === "string" ? part : asRecord(part)["text"];
    if (typeof text === "string") visitor.other(text.length);
    else if (countOther && part !== undefined) visitor.other(countJsonChars(part));
  }
}

function isAnsweredWithoutParts({ result, status }: JsonRecord): boolean {
  if (asList(result).length > 0) return false;
  return typeof result === "string" || isRecord(result) || /error|cancel/.test(String(status));
}

/** All results of the message as one message of the Gemini API. */
function asContent(message: unknown): JsonRecord {
  const calls = asList(asRecord(message)["toolCalls"]);
  return { role: "user", parts: calls.flatMap((call) => asList(asRecord(call)["result"])) };
}

/** The message with these parts as the results of its calls. */
function withParts(message: unknown, changed: unknown): unknown {
  const parts = asList(asRecord(changed)["parts"]);
  let at = 0;
  const toolCalls = asList(asRecord(message)["toolCalls"]).map((call) => {
    const before = asList(asRecord(call)["result"]);
    const result = parts.slice(at, (at += before.length));
    const isSame = result.every((part, index) => part === before[index]);
    return isSame ? call : { ...asRecord(call), result };
  });
  return { ...asRecord(message), toolCalls };
}
