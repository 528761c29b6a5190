import { nonEmptyText } from "../core/lib/text/plain-text.js";
import type {
  Format,
  FormatReadOptions,
  MessageVisitor,
  ToolInputSchema,
} from "../core/engine/format.js";
import {
  isBlockContent,
  readBlockContent,
  referenceBlocks,
  type BlockRules,
} from "./shared/blocks.js";
import { createLineFormat } from "./shared/json-lines.js";
import { describeParts, inputsIn, textsOf } from "./shared/message-parts.js";
import {
  asList,
  asRecord,
  countJsonChars,
  isRecord,
  type JsonRecord,
} from "./shared/json-record.js";

/** A tool as pi takes it. */
export type PiTool = { name: string; description: string; parameters: ToolInputSchema };

/** The answer to a call: a message of its own. */
export type PiToolAnswer = {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: { type: "text"; text: string }[];
  isError: boolean;
};

/** Known types of lines other than messages. */
const NOTES =
  /^(?:session(?:_info)?|model_change|thinking_level_change|compaction|branch_summary|label|custom(?:_message)?)$/;

const KNOWN_BLOCKS: readonly unknown[] = ["text", "thinking", "image", "toolCall"];

const RULES: BlockRules = {
  textType: "text",
  isMedia: ({ type }) => type === "image",
  cacheMarks: [],
};

/** The messages themselves, as an agent holds them. */
export const piMessageFormat = {
  name: "pi",
  mismatch: () => undefined,

  read(message, visitor, options) {
    const { role, content, stopReason } = asRecord(message);
    if (role === "toolResult") {
      readResult(asRecord(message), visitor, options);
      return;
    }
    if (role === "assistant") visitor.modelMessage();
    if (typeof content === "string") visitor.other(content.length);
    // The calls of a reply that was cut off are never run.
    const isCutOff = stopReason === "aborted" || stopReason === "error";
    for (const block of asList(content)) readBlock(asRecord(block), isCutOff, visitor, options);
  },

  replace(message, [change], { media }) {
    const record = asRecord(message);
    const { content } = record;
    if (!change) return message;
    const { text } = change;
    // Blocks remain blocks, since pi accepts nothing else.
    return {
      ...record,
      content: Array.isArray(content) ? referenceBlocks(content, text, RULES, media) : text,
    };
  },

  restore: (message, [change]) =>
    change ? { ...asRecord(message), content: change.content } : message,

  describeTools: (tools): PiTool[] =>
    tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      parameters: inputSchema,
    })),

  readCall(call) {
    const { type, name, arguments: input } = asRecord(call);
    return type === "toolCall" && typeof name === "string" ? { name, input } : undefined;
  },

  answerCall(call, { text, isError }): PiToolAnswer {
    const { id, name } = asRecord(call);
    return {
      role: "toolResult",
      toolCallId: nonEmptyText(id) ?? "",
      toolName: nonEmptyText(name) ?? "",
      content: [{ type: "text", text }],
      isError,
    };
  },

  parts: describeParts(({ role, content }) => {
    if (role === "user") return textsOf(content, ["content"], /^text$/);
    const isCall = (slot: number) => asRecord(asList(content)[slot])["type"] === "toolCall";
    return inputsIn(content, ["content"], "id", "arguments").filter((_, slot) => isCall(slot));
  }),
} satisfies Format;

/** pi session files: a result is a message of its own, of role `toolResult`. */
export const piFormat = createLineFormat({
  name: "pi-jsonl",
  origin: "a pi session",

  isLine({ type, message, timestamp }) {
    if (type === "message") {
      const { role, content } = asRecord(message);
      return typeof role === "string" && !asList(content).some(isAnthropicBlock);
    }
    if (typeof type !== "string" || timestamp === undefined) return false;
    return NOTES.test(type) || undefined;
  },

  messageKey: ({ type, message }) =>
    type === "message" && isRecord(message) ? "message" : undefined,

  messages: piMessageFormat,
  contentPath: () => ["content"],
});

/** Factory Droid records Anthropic messages in lines of the same type. */
function isAnthropicBlock(block: unknown): boolean {
  const { type } = asRecord(block);
  return type === "tool_use" || type === "tool_result";
}

function readResult(
  message: JsonRecord,
  visitor: MessageVisitor,
  { media }: FormatReadOptions,
): void {
  const { toolCallId, toolName, content, isError } = message;
  const id = nonEmptyText(toolCallId);
  if (!isBlockContent(content)) {
    visitor.answer?.(id);
    return;
  }
  visitor.result({
    slot: 0,
    id,
    ...readBlockContent(content, RULES, media),
    toolName: nonEmptyText(toolName),
    isError: isError === true,
  });
}

function readBlock(
  block: JsonRecord,
  isCutOff: boolean,
  visitor: MessageVisitor,
  { countOther }: FormatReadOptions,
): void {
  const { type, text, id, name, arguments: input } = block;
  if (type === "text" && typeof text === "string") {
    visitor.other(text.length);
    return;
  }
  const isCall = type === "toolCall";
  if (isCall && !isCutOff) visitor.call(nonEmptyText(id), String(name), input);
  const chars = countOther ? countJsonChars(isCall ? asRecord(input) : block) : 0;
  visitor.other(chars, KNOWN_BLOCKS.includes(type) ? undefined : String(type));
}
