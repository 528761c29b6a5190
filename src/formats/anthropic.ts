import { countContentChars, type Content } from "../core/engine/content.js";
import type { Format, FormatResult, MediaRule } from "../core/engine/format.js";
import { asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";

/** Blocks that are nothing to read as text. */
const MEDIA_TYPES = new Set(["image", "document", "audio", "video"]);

/** Anthropic Messages: results are `tool_result` blocks of a user message. */
export const anthropicFormat: Format = {
  name: "anthropic",

  mismatch(messages) {
    // The API has no system message in the list, but recordings put it there.
    const hasBlocks = messages.some(hasToolBlocks);
    for (const [index, message] of messages.entries()) {
      const { role, content, tool_calls } = asRecord(message);
      if (tool_calls !== undefined) return `message ${index} has tool_calls`;
      if (role === "system" && hasBlocks) continue;
      if (role !== "user" && role !== "assistant") {
        return `message ${index} has the role ${JSON.stringify(role)} instead of user or assistant`;
      }
      if (typeof content === "string") continue;
      if (!Array.isArray(content)) return `message ${index} has no content`;
      const stranger: unknown = content.find((block) => !isAnthropicBlock(block));
      if (stranger !== undefined) {
        return `message ${index} has a block of type ${JSON.stringify(asRecord(stranger)["type"])}`;
      }
    }
    return undefined;
  },

  read(message, { media }) {
    const { role, content } = asRecord(message);
    const blocks = Array.isArray(content) ? content.map(asRecord) : [];
    return {
      fromModel: role === "assistant",
      calls: blocks
        .filter(({ type }) => type === "tool_use")
        .map(({ id, name }) => ({ id: idOf(id), name: String(name) })),
      results: blocks.flatMap((block, slot) => readResult(block, slot, media)),
      otherChars: () =>
        typeof content === "string"
          ? content.length
          : blocks.reduce((sum, block) => sum + countOtherChars(block), 0),
    };
  },

  replace(message, texts, { media }) {
    const { content } = asRecord(message);
    const blocks = (content as readonly unknown[]).slice();
    for (const { slot, text } of texts) {
      const block = asRecord(blocks[slot]);
      blocks[slot] = { ...block, content: referenceContent(block["content"], text, media) };
    }
    return { ...asRecord(message), content: blocks };
  },

  restore(message, contents) {
    const { content } = asRecord(message);
    const blocks = (content as readonly unknown[]).slice();
    for (const { slot, content: original } of contents) {
      blocks[slot] = { ...asRecord(blocks[slot]), content: original };
    }
    return { ...asRecord(message), content: blocks };
  },

  describeTools: (tools) =>
    tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    })),

  readCall(call) {
    const { type, name, input } = asRecord(call);
    return type === "tool_use" && typeof name === "string" ? { name, input } : undefined;
  },

  answerCall: (call, { text, isError }) => ({
    type: "tool_result",
    tool_use_id: asRecord(call)["id"],
    content: text,
    ...(isError ? { is_error: true } : {}),
  }),
};

function hasToolBlocks(message: unknown): boolean {
  const { content } = asRecord(message);
  return (
    Array.isArray(content) &&
    content.some((block) => /^tool_(?:use|result)$/.test(String(asRecord(block)["type"])))
  );
}

function readResult(block: JsonRecord, slot: number, media: MediaRule): FormatResult[] {
  const { type, tool_use_id, content, is_error } = block;
  if (type !== "tool_result") return [];
  if (typeof content !== "string" && !Array.isArray(content)) return [];
  return [
    {
      slot,
      id: idOf(tool_use_id),
      content: content as Content,
      soleText: soleTextOf(content),
      chars: countLeaving(content, media),
      isError: is_error === true,
    },
  ];
}

function countLeaving(content: string | readonly unknown[], media: MediaRule): number {
  if (typeof content === "string") return content.length;
  let chars = 0;
  for (const block of content) {
    if (stays(block, media)) continue;
    const { type, text } = asRecord(block);
    chars += type === "text" && typeof text === "string" ? text.length : countContentChars([block]);
  }
  return chars;
}

/** The one text beside nothing but media: where a reference would stand. */
function soleTextOf(content: string | readonly unknown[]): string | undefined {
  if (typeof content === "string") return content;
  const [first, ...others] = content.filter((block) => !stays(block, "keep"));
  const { type, text } = asRecord(first);
  return others.length === 0 && type === "text" && typeof text === "string" ? text : undefined;
}

/** The reference as a plain text, or in a block where media or a cache mark must stay beside it. */
function referenceContent(content: unknown, text: string, media: MediaRule): unknown {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const kept = blocks.filter((block) => stays(block, media));
  const mark = blocks
    .map((block) => asRecord(block)["cache_control"])
    .findLast((value) => value !== undefined);
  if (kept.length === 0 && mark === undefined) return text;
  const marked = kept.some((block) => asRecord(block)["cache_control"] !== undefined);
  const cache_control = mark === undefined || marked ? {} : { cache_control: mark };
  return [{ type: "text", text, ...cache_control }, ...kept];
}

function countOtherChars(block: JsonRecord): number {
  const { type, text, input } = block;
  if (type === "tool_result") return 0;
  if (type === "text" && typeof text === "string") return text.length;
  return countContentChars(type === "tool_use" ? asRecord(input) : block);
}

/** Media where the rule keeps it; and always what the API itself acts on. */
function stays(block: unknown, media: MediaRule): boolean {
  const type = String(asRecord(block)["type"]);
  return type === "tool_reference" || (media === "keep" && MEDIA_TYPES.has(type));
}

/** Block types of other vendors look alike; these words are theirs. */
function isAnthropicBlock(block: unknown): boolean {
  const { type } = asRecord(block);
  if (!isRecord(block) || typeof type !== "string") return false;
  return !/^(?:tool-|image_url$|input_|output_|function|refusal$|file$|toolCall$)/.test(type);
}

function idOf(id: unknown): string | undefined {
  return typeof id === "string" && id !== "" ? id : undefined;
}
