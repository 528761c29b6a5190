import { nonEmptyText } from "../core/lib/json/plain-json.js";
import { createLineFormat } from "./shared/json-lines.js";
import { asList, asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import { inputsIn, textsOf, type PartPlace } from "./shared/message-parts.js";
import { OPENAI_PARTS } from "./shared/openai-parts.js";
import {
  createRecordFormat,
  type RecordedCall,
  type RecordReader,
} from "./shared/record-format.js";

/** The answer to a call: a separate event. */
export type KimiToolAnswer = {
  type: "tool.result";
  toolCallId: string;
  result: { output: string; isError: boolean };
};

/** Types of records, such as `context.append_message` and `turn.prompt`. */
const RECORD =
  /^(?:context|turn|llm|config|tools|permission|profile|usage|\w+_compaction|\w+_mode|goal|mcp|cron|token_counting|runtime|plugin|file_history)\.\w+$/;

const eventFormat = createRecordFormat({
  name: "kimi-event",
  blocks: OPENAI_PARTS,
  mismatch: () => undefined,

  read(event, reader) {
    if (typeof event["role"] === "string") readMessage(event, reader);
    else if (isRecord(event["payload"])) readOlderEvent(event, reader);
    else readEvent(event, reader);
  },

  parts(event) {
    const { role, content, toolCalls, type, payload } = event;
    if (role === "user") return textsOf(content, ["content"], /^text$/);
    const called = asList(toolCalls)
      .map(asRecord)
      .some((call) => isRecord(call["function"]));
    const argumentsPath = called ? ["function", "arguments"] : ["arguments"];
    if (typeof role === "string") return inputsIn(toolCalls, ["toolCalls"], "id", ...argumentsPath);
    if (type === "TurnBegin") {
      return textsOf(asRecord(payload)["user_input"], ["payload", "user_input"], /^text$/);
    }
    if (type === "tool.call") return [toolInput(event, "toolCallId", ["args"])];
    if (type !== "ToolCall") return [];
    return [toolInput(asRecord(payload), "id", ["payload", "function", "arguments"])];
  },

  readCall: (call) => (call["type"] === "tool.call" ? readToolCall(call) : undefined),

  answerCall: ({ id }, { text, isError }): KimiToolAnswer => ({
    type: "tool.result",
    toolCallId: id,
    result: { output: text, isError },
  }),
});

/** Kimi session files (`wire.jsonl`), of Kimi Code and of the older Kimi CLI. */
export const kimiFormat = createLineFormat({
  name: "kimi-jsonl",
  origin: "a Kimi session",

  isLine({ type, protocol_version, message, properties, data, payload }) {
    if (type === "metadata") return protocol_version !== undefined;
    if (type === undefined || type === "message") {
      return (
        typeof asRecord(message)["type"] === "string" && isRecord(asRecord(message)["payload"])
      );
    }
    if (properties !== undefined || data !== undefined || payload !== undefined) return false;
    if (typeof type !== "string" || !type.includes(".")) return false;
    return RECORD.test(type) || undefined;
  },

  messageKey({ type, message, event }) {
    if (type === "context.append_loop_event") return isRecord(event) ? "event" : undefined;
    const holds = type === undefined || type === "message" || type === "context.append_message";
    return holds && isRecord(message) ? "message" : undefined;
  },

  messages: eventFormat,
  contentPath: eventFormat.contentPath,
});

function toolInput(call: JsonRecord, idKey: string, path: string[]): PartPlace {
  return { kind: "toolInput", path, id: nonEmptyText(call[idKey]) };
}

function readMessage(
  { role, content, toolCalls, toolCallId }: JsonRecord,
  reader: RecordReader,
): void {
  if (role === "assistant") reader.model();
  if (role === "tool") reader.result(["content"], { id: toolCallId });
  else readParts(content, reader);
  for (const call of asList(toolCalls)) reader.call(readToolCall(asRecord(call)));
}

function readEvent(event: JsonRecord, reader: RecordReader): void {
  const { type, part, stepUuid, toolCallId: id, result } = event;
  if (type === "content.part" || type === "tool.call") reader.model(stepUuid);
  if (type === "content.part") readParts([part], reader);
  if (type === "tool.call") reader.call(readToolCall(event));
  const isError = asRecord(result)["isError"] === true;
  if (type === "tool.result") reader.result(["result", "output"], { id, isError });
}

function readOlderEvent({ type, payload }: JsonRecord, reader: RecordReader): void {
  const { tool_call_id: id, return_value, user_input, ...part } = asRecord(payload);
  if (type === "TurnBegin") readParts(user_input, reader);
  if (type === "ContentPart" || type === "TextPart" || type === "ToolCall") reader.model();
  if (type === "ContentPart" || type === "TextPart") readParts([part], reader);
  if (type === "ToolCall") reader.call(readToolCall(part));
  const isError = asRecord(return_value)["is_error"] === true;
  const path = ["payload", "return_value", "output"];
  if (type === "ToolResult") reader.result(path, { id, isError });
}

function readParts(content: unknown, reader: RecordReader): void {
  for (const part of typeof content === "string" ? [content] : asList(content)) {
    const { text, think } = asRecord(part);
    reader.other(text ?? think ?? part);
  }
}

function readToolCall({ id, toolCallId, ...call }: JsonRecord): RecordedCall {
  const { name, arguments: given, args } = asRecord(call["function"] ?? call);
  return { id: toolCallId ?? id, name, input: args ?? given };
}
