import { countContentChars } from "../core/engine/content.js";
import type { Format } from "../core/engine/format.js";
import { asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import {
  countInputChars,
  countPartChars,
  isLangChainMessage,
  isPartContent,
  parseArguments,
  readPartContent,
  referenceContent,
  textOf,
} from "./openai-chat.js";

const MESSAGE_ROLES = new Set(["system", "developer", "user", "assistant"]);

/** Items that are no messages: calls, their outputs, and those that neither word names. */
const ITEM_TYPE =
  /_call(?:_output)?$|^(?:reasoning|item_reference|compaction\w*|mcp_\w+|tool_search_output|additional_tools|program(?:_output)?)$/;

const MESSAGE_PART = /^(?:input_\w+|output_\w+|refusal|summary_text|reasoning_text)$/;

const CALL_TYPES = new Set<unknown>(["function_call", "custom_tool_call"]);

/** Outputs of hosted tools (wrapping, computer, MCP) have forms of their own, checked by the API. */
const RESULT_TYPES = new Set<unknown>(["function_call_output", "custom_tool_call_output"]);

/** OpenAI Responses: calls, their outputs and messages are items side by side. */
export const openaiResponsesFormat = {
  name: "openai-responses",

  mismatch(items) {
    for (const [index, item] of items.entries()) {
      const why = refuseItem(item);
      if (why !== undefined) return `item ${index} ${why}`;
    }
    return undefined;
  },

  read(item, { media }) {
    const record = asRecord(item);
    const { type, role, call_id, name, output } = record;
    const isCall = CALL_TYPES.has(type);
    const isResult = RESULT_TYPES.has(type) && !isForProgram(record);
    const id = textOf(call_id);
    return {
      fromModel: isCall || type === "reasoning" || role === "assistant",
      calls: isCall && typeof name === "string" ? [{ id, name }] : [],
      results: isResult && isPartContent(output) ? [{ ...readPartContent(output, media), id }] : [],
      otherChars: () => (isResult ? 0 : countOtherChars(record)),
    };
  },

  replace(item, texts, { media }) {
    const record = asRecord(item);
    return texts.reduce(
      (copy, { text }) => ({
        ...copy,
        output: referenceContent(record["output"], { type: "input_text", text }, media),
      }),
      record,
    );
  },

  restore(item, contents) {
    return contents.reduce((copy, { content }) => ({ ...copy, output: content }), asRecord(item));
  },

  describeTools: (tools) =>
    tools.map(({ name, description, inputSchema }) => ({
      type: "function" as const,
      name,
      description,
      parameters: inputSchema as JsonRecord,
      strict: false,
    })),

  readCall(call) {
    const { type, name, arguments: input } = asRecord(call);
    if (type !== "function_call" || typeof name !== "string") return undefined;
    return { name, input: parseArguments(input) };
  },

  answerCall: (call, { text }) => ({
    type: "function_call_output" as const,
    call_id: textOf(asRecord(call)["call_id"]) ?? "",
    output: text,
  }),
} satisfies Format;

function refuseItem(item: unknown): string | undefined {
  if (!isRecord(item)) return "is no object";
  if (isLangChainMessage(item)) return "is a LangChain message";
  const { type, role, content } = item;
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
  const stranger = content.findIndex((part) => !isMessagePart(part));
  if (stranger === -1) return undefined;
  return `has a part of type ${JSON.stringify(asRecord(content[stranger])["type"])}`;
}

function isMessagePart(part: unknown): boolean {
  const { type } = asRecord(part);
  return typeof type === "string" && MESSAGE_PART.test(type);
}

/** A program that the model wrote reads this output; the model does not see it. */
function isForProgram({ caller }: JsonRecord): boolean {
  return asRecord(caller)["type"] === "program";
}

function countOtherChars(item: JsonRecord): number {
  const { type, role, content, arguments: input, input: freeText } = item;
  if (CALL_TYPES.has(type)) return countInputChars(input ?? freeText);
  return typeof role === "string" ? countPartChars(content) : countContentChars(item);
}
