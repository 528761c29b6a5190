import {
  countContentChars,
  type Content,
  type Format,
  type FormatReadOptions,
  type FormatResult,
  type MessageVisitor,
  type ToolInputSchema,
} from "../core/engine/format.js";
import { describeValue } from "../core/errors/context-offload-error.js";
import { isPlainJson, nonEmptyText } from "../core/lib/json/plain-json.js";
import { readBlockContent, referenceBlocks, type BlockRules } from "./shared/blocks.js";
import {
  asList,
  asRecord,
  countJsonChars,
  isRecord,
  type JsonRecord,
} from "./shared/json-record.js";
import { describeParts, type PartPlace } from "./shared/message-parts.js";
import { firstMismatch } from "./shared/visitors.js";

/** A tool as the Converse API takes it in `toolConfig.tools`. */
export type BedrockTool = {
  toolSpec: { name: string; description: string; inputSchema: { json: ToolInputSchema } };
};

/** The answer to a call: a block for a user's content. */
export type BedrockToolAnswer = {
  toolResult: { toolUseId: string; content: { text: string }[]; status: "success" | "error" };
};

/** The known kinds of blocks, each named by its only field. */
const BLOCKS = [
  ...["text", "image", "document", "video", "audio", "toolUse", "toolResult", "cachePoint"],
  ...["guardContent", "reasoningContent", "citationsContent", "searchResult"],
];

const RULES: BlockRules = {
  textType: undefined,
  isMedia: ({ image, document, video }) => (image ?? document ?? video) !== undefined,
  cacheMarks: [],
};

/** Amazon Bedrock Converse: results are `toolResult` blocks of user messages. */
export const bedrockFormat = {
  name: "bedrock" as const,

  mismatch: (messages) => firstMismatch(messages, mismatchOf),

  read(message, visitor, options) {
    const { role, content } = asRecord(message);
    if (role === "assistant") visitor.modelMessage();
    for (const [slot, item] of asList(content).entries()) {
      const block = asRecord(item);
      const { text, toolUse, toolResult } = block;
      if (typeof text === "string") visitor.other(text.length);
      else if (isRecord(toolUse)) readUse(toolUse, visitor, options);
      else if (isRecord(toolResult)) readBedrockResult(toolResult, slot, visitor, options);
      else visitor.other(options.countOther ? countJsonChars(block) : 0, unknownType(block));
    }
  },

  replace: (message, texts, { media }) =>
    withContents(
      message,
      texts.map(({ slot, text }) => [
        slot,
        (blocks) => referenceBlocks(blocks, text, RULES, media),
      ]),
    ),

  restore: (message, originals) =>
    withContents(
      message,
      originals.map(({ slot, content, wrapping }) => [
        slot,
        () => (typeof wrapping === "string" ? [{ [wrapping]: content }] : content),
      ]),
    ),

  describeTools: (tools): BedrockTool[] =>
    tools.map(({ name, description, inputSchema }) => ({
      toolSpec: { name, description, inputSchema: { json: inputSchema } },
    })),

  readCall(call) {
    const { toolUseId, name, input } = callOf(call);
    if (typeof toolUseId !== "string" || typeof name !== "string") return undefined;
    return { name, input };
  },

  answerCall: (call, { text, isError }): BedrockToolAnswer => ({
    toolResult: {
      toolUseId: nonEmptyText(callOf(call)["toolUseId"]) ?? "",
      content: [{ text }],
      status: isError ? "error" : "success",
    },
  }),

  parts: describeParts(({ role, content }) =>
    asList(content).flatMap((block, slot): PartPlace[] => {
      const { text, toolUse } = asRecord(block);
      if (role === "user" && typeof text === "string") {
        return [{ kind: "userMessage", path: ["content", slot, "text"] }];
      }
      const { toolUseId, type } = asRecord(toolUse);
      if (!isRecord(toolUse) || type !== undefined) return [];
      const id = nonEmptyText(toolUseId);
      return [{ kind: "toolInput", path: ["content", slot, "toolUse", "input"], id }];
    }),
  ),
} satisfies Format;

function mismatchOf({ role, content }: JsonRecord): string | undefined {
  if (role !== "user" && role !== "assistant") {
    return `has the role ${JSON.stringify(role)} instead of user or assistant`;
  }
  if (!Array.isArray(content)) return "has no array of blocks as its content";
  const foreign: unknown = content.find((block) => !isBlock(block));
  return foreign === undefined
    ? undefined
    : `has a block that is not Bedrock's: ${describeValue(foreign)}`;
}

/** Blocks of other vendors have a `type`; these have one field that says what they are. */
function isBlock(block: unknown): boolean {
  if (!isRecord(block) || block["type"] !== undefined) return false;
  const { toolResult } = block;
  return toolResult === undefined || Array.isArray(asRecord(toolResult)["content"]);
}

function unknownType(block: JsonRecord): string | undefined {
  return BLOCKS.some((field) => block[field] !== undefined)
    ? undefined
    : Object.keys(block).join("+");
}

/** A call that has a type is one of the provider's own tools. */
function readUse(
  { toolUseId, name, input, type }: JsonRecord,
  visitor: MessageVisitor,
  { countOther }: FormatReadOptions,
): void {
  if (type === undefined) visitor.call(nonEmptyText(toolUseId), String(name), input);
  if (countOther) visitor.other(countJsonChars(input));
}

function readBedrockResult(
  result: JsonRecord,
  slot: number,
  visitor: MessageVisitor,
  { media, countOther }: FormatReadOptions,
): void {
  const { toolUseId, content, status, type } = result;
  const id = nonEmptyText(toolUseId);
  // Pictures may be bytes, which could not be restored from JSON.
  if (type !== undefined || !Array.isArray(content) || !isPlainJson(content)) {
    visitor.answer?.(id);
    if (countOther) visitor.other(countJsonChars(result));
    return;
  }
  const isError = status === "error";
  const sole = soleValue(content);
  if (sole) visitor.result({ slot, id, ...sole, isError });
  else visitor.result({ slot, id, ...readBlockContent(content, RULES, media), isError });
}

/** What a single block of text or JSON holds is stored by itself, so that it reads as what it is. */
function soleValue(
  blocks: readonly unknown[],
): Pick<FormatResult, "content" | "soleText" | "chars" | "wrapping"> | undefined {
  const [[key, value] = [], ...others] =
    blocks.length === 1 ? Object.entries(asRecord(blocks[0])) : [];
  if (others.length > 0) return undefined;
  if (key === "text" && typeof value === "string") {
    return { content: value, soleText: value, chars: value.length, wrapping: key };
  }
  if (key !== "json" || typeof value !== "object" || value === null) return undefined;
  const content = value as Content;
  return { content, soleText: undefined, chars: countContentChars(content), wrapping: key };
}

function callOf(call: unknown): JsonRecord {
  return asRecord(asRecord(call)["toolUse"] ?? call);
}

function withContents(
  message: unknown,
  changes: readonly (readonly [slot: number, change: (blocks: readonly unknown[]) => unknown])[],
): unknown {
  const blocks = asList(asRecord(message)["content"]).slice();
  for (const [slot, change] of changes) {
    const block = asRecord(blocks[slot]);
    const toolResult = asRecord(block["toolResult"]);
    const content = change(asList(toolResult["content"]));
    blocks[slot] = { ...block, toolResult: { ...toolResult, content } };
  }
  return { ...asRecord(message), content: blocks };
}
