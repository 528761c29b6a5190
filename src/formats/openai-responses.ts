import type {
  Format,
  FormatReadOptions,
  MessageVisitor,
  ToolInputSchema,
} from "../core/engine/format.js";
import { nonEmptyText } from "../core/lib/json/plain-json.js";
import { isBlockContent, readBlockContent, referenceBlocks } from "./shared/blocks.js";
import { asRecord, countJsonChars, isRecord, type JsonRecord } from "./shared/json-record.js";
import { describeParts, textsOf } from "./shared/message-parts.js";
import {
  countInputChars,
  isLangChainMessage,
  OPENAI_PARTS,
  parseArguments,
  readParts,
} from "./shared/openai-parts.js";
import { firstMismatch } from "./shared/visitors.js";

/** A tool as the Responses API takes it. */
export type OpenAIResponsesTool = {
  type: "function";
  name: string;
  description: string;
  parameters: ToolInputSchema;
  strict: boolean;
};

/** The answer to a call: a separate item. */
export type OpenAIResponsesToolAnswer = {
  type: "function_call_output";
  call_id: string;
  output: string;
};

const MESSAGE_ROLES = new Set(["system", "developer", "user", "assistant"]);

/** Items that are not messages: calls, their outputs, and others. */
const ITEM_TYPE =
  /_call(?:_output)?$|^(?:reasoning|item_reference|compaction\w*|mcp_\w+|tool_search_output|additional_tools|program(?:_output)?)$/;

const MESSAGE_PART = /^(?:input_\w+|output_\w+|refusal|summary_text|reasoning_text)$/;

const CALL_TYPES = new Set<unknown>(["function_call", "custom_tool_call"]);

/** Outputs of hosted tools (shell, computer, MCP) have their own shapes, which the API checks. */
const RESULT_TYPES = new Set<unknown>(["function_call_output", "custom_tool_call_output"]);

const PARTS = { ...OPENAI_PARTS, textType: "input_text", otherTextTypes: ["text", "output_text"] };

/** OpenAI Responses: calls, their outputs and messages are items of one list. */
export const openaiResponsesFormat = {
  name: "openai-responses" as const,

  mismatch: (items) => firstMismatch(items, mismatchOf),

  read(item, visitor, options) {
    const record = asRecord(item);
    const { type, role, content } = record;
    const isCall = CALL_TYPES.has(type);
    if (isCall || type === "reasoning" || role === "assistant") visitor.modelMessage();
    if (isCall) readCallItem(record, visitor, options);
    else if (RESULT_TYPES.has(type)) readCallOutput(record, visitor, options);
    else if (typeof role !== "string") readItem(record, visitor, options);
    else readParts(content, isMessagePart, visitor, options);
  },

  replace(item, texts, { media }) {
    const record = asRecord(item);
    const { output } = record;
    return texts.reduce(
      (copy, { text }) => ({
        ...copy,
        output: Array.isArray(output) ? referenceBlocks(output, text, PARTS, media) : text,
      }),
      record,
    );
  },

  restore(item, originals) {
    return originals.reduce((copy, { content }) => ({ ...copy, output: content }), asRecord(item));
  },

  describeTools: (tools): OpenAIResponsesTool[] =>
    tools.map(({ name, description, inputSchema }) => ({
      type: "function",
      name,
      description,
      parameters: inputSchema,
      strict: false,
    })),

  readCall(call) {
    const { type, name, arguments: input } = asRecord(call);
    if (type !== "function_call" || typeof name !== "string") return undefined;
    return { name, input: parseArguments(input) };
  },

  answerCall: (call, { text }): OpenAIResponsesToolAnswer => ({
    type: "function_call_output",
    call_id: nonEmptyText(asRecord(call)["call_id"]) ?? "",
    output: text,
  }),

  parts: describeParts(({ type, role, content, call_id }) => [
    ...(role === "user" ? textsOf(content, ["content"], /^(?:input_)?text$/) : []),
    ...(type === "function_call"
      ? [{ kind: "toolInput" as const, path: ["arguments"], id: nonEmptyText(call_id) }]
      : []),
  ]),
} satisfies Format;

function mismatchOf(item: JsonRecord): string | undefined {
  if (isLangChainMessage(item)) return "is a LangChain message";
  const { type, role, content, callId } = item;
  if (callId !== undefined || type === "hosted_tool_call") {
    return "is an item of the OpenAI Agents SDK, which has a callId";
  }
  if (type !== undefined && type !== "message") {
    if (typeof type === "string" && ITEM_TYPE.test(type)) return undefined;
    return `has the type ${JSON.stringify(type)}`;
  }
  if (typeof role !== "string") return "has neither a role nor the type of an item";
  if (!MESSAGE_ROLES.has(role)) return `has the role ${JSON.stringify(role)}`;
  if (Array.isArray(item["tool_calls"]) || isRecord(item["function_call"])) {
    return "has its tool calls inside, as Chat Completions do";
  }
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content)) return "has no content";
  const foreign = content.findIndex((part) => !isMessagePart(part));
  if (foreign === -1) return undefined;
  return `has a part of type ${JSON.stringify(asRecord(content[foreign])["type"])}`;
}

function isMessagePart(part: unknown): boolean {
  const { type } = asRecord(part);
  return typeof type === "string" && MESSAGE_PART.test(type);
}

function readCallItem(
  item: JsonRecord,
  visitor: MessageVisitor,
  { countOther }: FormatReadOptions,
): void {
  const { call_id, name, status, arguments: args, input } = item;
  // A call that was cut off is never run.
  if (typeof name === "string" && status !== "incomplete") {
    visitor.call(nonEmptyText(call_id), name, args ?? input);
  }
  if (countOther) visitor.other(countInputChars(args ?? input));
}

function readCallOutput(
  item: JsonRecord,
  visitor: MessageVisitor,
  { media, countOther }: FormatReadOptions,
): void {
  const { call_id, output, caller } = item;
  const id = nonEmptyText(call_id);
  // This output goes to a program that the model wrote; the model does not see it.
  const isForProgram = asRecord(caller)["type"] === "program";
  if (isBlockContent(output) && !isForProgram) {
    visitor.result({ slot: 0, id, ...readBlockContent(output, PARTS, media), isError: false });
  } else {
    visitor.answer?.(id);
    if (countOther) visitor.other(countJsonChars(item));
  }
}

function readItem(
  item: JsonRecord,
  visitor: MessageVisitor,
  { countOther }: FormatReadOptions,
): void {
  const { type } = item;
  const isKnown = typeof type === "string" && ITEM_TYPE.test(type);
  visitor.other(countOther ? countJsonChars(item) : 0, isKnown ? undefined : String(type));
}
