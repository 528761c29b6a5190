import type {
  Format,
  FormatReadOptions,
  MessageVisitor,
  ToolInputSchema,
} from "../core/engine/format.js";
import { nonEmptyText } from "../core/lib/json/plain-json.js";
import { isBlockContent, readBlockContent, referenceBlocks } from "./shared/blocks.js";
import { asList, asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import { describeParts, textsOf } from "./shared/message-parts.js";
import {
  countInputChars,
  isLangChainMessage,
  OPENAI_PARTS,
  parseArguments,
  readParts,
} from "./shared/openai-parts.js";
import { firstMismatch } from "./shared/visitors.js";

/** A tool as the Chat Completions API takes it. */
export type OpenAIChatTool = {
  type: "function";
  function: { name: string; description: string; parameters: ToolInputSchema };
};

/** The answer to a call: a separate message. */
export type OpenAIChatToolAnswer = { role: "tool"; tool_call_id: string; content: string };

const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** Notes of programs that record their messages: Hermes, and Kimi CLI in its `context.jsonl`. */
const NOTE_ROLE = /^(?:session_meta|_\w+)$/;

/** Part types that only other vendors have; other unknown types are accepted. */
const FOREIGN_PART =
  /tool|^(?:input_(?:text|image|file)|output_text|image|document|reasoning|function(?:Call|Response))$/i;

const KNOWN_PART =
  /^(?:text|refusal|think(?:ing)?|input_audio|file|(?:image|audio|video|document)_url)$/;

/** OpenAI Chat Completions: a result is a message of role `tool`, or of the older role `function`. */
export const openaiChatFormat = {
  name: "openai-chat" as const,

  mismatch: (messages) => firstMismatch(messages, mismatchOf),

  read(message, visitor, options) {
    const record = asRecord(message);
    const { role, content, tool_calls, function_call } = record;
    if (role === "assistant") visitor.modelMessage();
    if (role === "tool" || role === "function") {
      readChatResult(record, visitor, options);
      return;
    }
    readParts(content, isKnownPart, visitor, options);
    const refusal = nonEmptyText(record["refusal"]);
    if (refusal !== undefined) visitor.other(refusal.length);
    if (tool_calls === undefined && function_call === undefined) return;
    for (const call of asList(tool_calls)) readToolCall(asRecord(call), visitor, options);
    if (isRecord(function_call)) readCalled(undefined, function_call, visitor, options);
  },

  replace(message, texts, { media }) {
    const record = asRecord(message);
    const { content } = record;
    return texts.reduce(
      (copy, { text }) => ({
        ...copy,
        content: Array.isArray(content)
          ? referenceBlocks(content, text, OPENAI_PARTS, media)
          : text,
      }),
      record,
    );
  },

  restore(message, originals) {
    return originals.reduce((copy, { content }) => ({ ...copy, content }), asRecord(message));
  },

  describeTools: (tools): OpenAIChatTool[] =>
    tools.map(({ name, description, inputSchema }) => ({
      type: "function",
      function: { name, description, parameters: inputSchema },
    })),

  readCall(call) {
    const { type, function: called } = asRecord(call);
    const { name, arguments: input } = asRecord(called);
    // OpenAI-compatible servers may leave out the type.
    if (typeof name !== "string" || (type !== "function" && type !== undefined)) return undefined;
    return { name, input: parseArguments(input) };
  },

  answerCall: (call, { text }): OpenAIChatToolAnswer => ({
    role: "tool",
    tool_call_id: nonEmptyText(asRecord(call)["id"]) ?? "",
    content: text,
  }),

  parts: describeParts(({ role, content, tool_calls }) => [
    ...(role === "user" ? textsOf(content, ["content"], /^text$/) : []),
    ...asList(tool_calls).map((call, index) => ({
      kind: "toolInput" as const,
      path: ["tool_calls", index, "function", "arguments"],
      id: nonEmptyText(asRecord(call)["id"]),
    })),
  ]),
} satisfies Format;

function mismatchOf(message: JsonRecord): string | undefined {
  if (isLangChainMessage(message)) return "is a LangChain message";
  const { role, type, content } = message;
  if (role === "toolResult") {
    return 'has pi\'s role "toolResult"; here a result has the role tool and a tool_call_id';
  }
  if (typeof role !== "string") {
    return typeof type === "string"
      ? `has no role but the type ${JSON.stringify(type)}`
      : "has no role";
  }
  if (NOTE_ROLE.test(role)) return undefined;
  if (!ROLES.has(role)) return `has the role ${JSON.stringify(role)}`;
  if (type === "message") return 'has the type "message", as items of the Responses API do';
  if (typeof content === "string") return undefined;
  if (content === undefined || content === null) {
    const mayLackContent = role === "assistant" || (role === "function" && content === null);
    return mayLackContent && message["parts"] === undefined ? undefined : "has no content";
  }
  if (!Array.isArray(content)) return "has content that is neither a string nor an array of parts";
  const foreign = content.findIndex((part) => !isChatPart(part));
  if (foreign === -1) return undefined;
  return `has a part of type ${JSON.stringify(asRecord(content[foreign])["type"])}`;
}

function isChatPart(part: unknown): boolean {
  const { type, file } = asRecord(part);
  if (typeof type !== "string" || FOREIGN_PART.test(type)) return false;
  // The AI SDK's file parts hold the fields of the file themselves.
  return type !== "file" || isRecord(file);
}

function readChatResult(
  message: JsonRecord,
  visitor: MessageVisitor,
  { media }: FormatReadOptions,
): void {
  const { name, content } = message;
  const id = resultId(message);
  if (!isBlockContent(content)) {
    visitor.answer?.(id);
    return;
  }
  const found = readBlockContent(content, OPENAI_PARTS, media);
  visitor.result({ slot: 0, id, ...found, toolName: nonEmptyText(name), isError: false });
}

/** A message of role `function` has no id; SWE-agent puts the id of a result into a list. */
function resultId({ role, tool_call_id, tool_call_ids }: JsonRecord): string | undefined {
  return role === "function" ? undefined : nonEmptyText(tool_call_id ?? asList(tool_call_ids)[0]);
}

function isKnownPart(part: unknown): boolean {
  const { type } = asRecord(part);
  return typeof type === "string" && KNOWN_PART.test(type);
}

function readToolCall(call: JsonRecord, visitor: MessageVisitor, options: FormatReadOptions): void {
  // A function, or a custom tool whose input is free text.
  readCalled(
    nonEmptyText(call["id"]),
    asRecord(call["function"] ?? call["custom"]),
    visitor,
    options,
  );
}

function readCalled(
  id: string | undefined,
  { name, arguments: args, input }: JsonRecord,
  visitor: MessageVisitor,
  { countOther }: FormatReadOptions,
): void {
  if (typeof name === "string") visitor.call(id, name, args ?? input);
  if (countOther) visitor.other(countInputChars(args ?? input));
}
