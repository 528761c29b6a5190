import type { Format, ToolInputSchema } from "../core/engine/format.js";
import { nonEmptyText } from "../core/lib/json/plain-json.js";
import { openaiResponsesFormat } from "./openai-responses.js";
import { asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import { parseArguments } from "./shared/openai-parts.js";
import { firstMismatch, relayTo } from "./shared/visitors.js";

/** A tool as an agent takes it. */
export type OpenAIAgentsTool = {
  type: "function";
  name: string;
  description: string;
  /** The SDK wants the list, also where it is empty. */
  parameters: ToolInputSchema & { required: string[] };
  strict: false;
  needsApproval: () => Promise<boolean>;
  isEnabled: () => Promise<boolean>;
  invoke: (context: unknown, input: string) => Promise<string>;
};

/** The answer to a call: a separate item. */
export type OpenAIAgentsToolAnswer = {
  type: "function_call_result";
  name: string;
  callId: string;
  status: "completed";
  output: { type: "text"; text: string };
};

const ITEM_TYPE =
  /^(?:function_call(?:_result)?|hosted_tool_call|computer_call(?:_result)?|(?:shell|apply_patch)_call(?:_output)?|tool_search_(?:call|output)|program(?:_output)?|reasoning|compaction|unknown)$/;

/**
 * Items of the OpenAI Agents SDK: those of the Responses API in camel case, with results of type
 * `function_call_result`.
 */
export const openaiAgentsFormat = {
  name: "openai-agents" as const,

  mismatch: (items) => firstMismatch(items, mismatchOf),

  read(item, visitor, options) {
    const toolName = nonEmptyText(asRecord(item)["name"]);
    const relay = relayTo(visitor, (result) => ({ ...result, toolName }));
    openaiResponsesFormat.read(asResponsesItem(item), relay, options);
  },

  replace: (item, texts, options) =>
    withOutput(item, openaiResponsesFormat.replace(asResponsesItem(item), texts, options)),

  restore: (item, originals) =>
    withOutput(item, openaiResponsesFormat.restore(asResponsesItem(item), originals)),

  describeTools: (tools): OpenAIAgentsTool[] =>
    tools.map((tool) => ({
      type: "function",
      name: tool.name,
      description: tool.description,
      parameters: { ...tool.inputSchema, required: tool.inputSchema.required ?? [] },
      strict: false,
      needsApproval: () => Promise.resolve(false),
      isEnabled: () => Promise.resolve(true),
      // The model gets text either way; an error begins with "Error:".
      async invoke(_context, input) {
        const { text, isError } = await tool.execute(parseArguments(input));
        return isError ? `Error: ${text}` : text;
      },
    })),

  readCall: (call) => openaiResponsesFormat.readCall(call),

  answerCall(call, { text }): OpenAIAgentsToolAnswer {
    const { callId, name } = asRecord(call);
    return {
      type: "function_call_result",
      name: nonEmptyText(name) ?? "",
      callId: nonEmptyText(callId) ?? "",
      status: "completed",
      output: { type: "text", text },
    };
  },

  parts: {
    ...openaiResponsesFormat.parts,
    find: (item) => openaiResponsesFormat.parts.find(asResponsesItem(item)),
  },
} satisfies Format;

function mismatchOf(item: JsonRecord): string | undefined {
  const { type, callId, call_id } = item;
  if (call_id !== undefined) return "has a call_id, as items of the Responses API do";
  if (type === undefined || type === "message") {
    return openaiResponsesFormat.mismatch([item])?.slice("message 0 ".length);
  }
  if (typeof type !== "string" || !ITEM_TYPE.test(type)) {
    return `has the type ${JSON.stringify(type)}`;
  }
  return type.startsWith("function_call") && typeof callId !== "string"
    ? `has the type ${type} and no callId`
    : undefined;
}

/** The same item as the Responses API has it, as far as that format reads it. */
function asResponsesItem(item: unknown): JsonRecord {
  const record = asRecord(item);
  const { type, callId, output } = record;
  if (type === "function_call") return { ...record, call_id: callId };
  if (type !== "function_call_result") return record;
  const isText = isRecord(output) && output["type"] === "text";
  return {
    ...record,
    type: "function_call_output",
    call_id: callId,
    output: isText ? output["text"] : output,
  };
}

/** The item with another output, in the shape that its own has. */
function withOutput(item: unknown, { output: changed }: JsonRecord): JsonRecord {
  const record = asRecord(item);
  const { output } = record;
  return { ...record, output: isRecord(output) ? { ...output, text: changed } : changed };
}
