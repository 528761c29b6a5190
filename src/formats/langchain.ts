import type { Content } from "../core/engine/content.js";
import type { Format, FormatCall, FormatResult, MediaRule } from "../core/engine/format.js";
import { asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import {
  isOwnMessage,
  parseLangchainMessage,
  withContent,
  type LangchainMessage,
} from "./shared/langchain-message.js";
import { countJsonChars, isPlainJson } from "./shared/plain-json.js";

/** Blocks that are nothing to read as text; providers' own words are among them. */
const MEDIA_TYPES = new Set([
  ...["image", "image_url", "audio", "input_audio", "video", "file", "document", "media"],
]);

/** Blocks of the model's content that say a call once more. */
const CALL_BLOCKS = new Set(["tool_call", "tool_call_chunk", "tool_use", "function_call"]);

/** LangChain messages: instances, serialised or stored ones. A tool message is one result. */
export const langchainFormat: Format = {
  name: "langchain",

  mismatch(messages) {
    for (const [index, message] of messages.entries()) {
      if (!parseLangchainMessage(message)) return `message ${index} ${describeStranger(message)}`;
    }
    if (messages.length === 0 || messages.some(isOwnMessage)) return undefined;
    return "no message has the type of a LangChain message (human, ai, tool, system)";
  },

  read(message, { media }) {
    const parsed = parseLangchainMessage(message);
    const results = parsed ? readResult(parsed, media) : [];
    return {
      fromModel: parsed?.kind === "ai",
      calls: parsed?.kind === "ai" ? readCalls(parsed.fields) : [],
      results,
      otherChars: () => (parsed && results.length === 0 ? countMessageChars(parsed) : 0),
    };
  },

  replace(message, texts, { media }) {
    const [first] = texts;
    const parsed = parseLangchainMessage(message);
    if (!first || !parsed) return message;
    return withContent(message, referenceContent(parsed, first.text, media));
  },

  restore(message, contents) {
    const [first] = contents;
    return first ? withContent(message, first.content) : message;
  },

  describeTools: (tools) =>
    tools.map(({ name, description, inputSchema }) => ({ name, description, schema: inputSchema })),

  readCall(call) {
    const { type, id, name, args } = asRecord(call);
    const isCall = type === "tool_call" || (type === undefined && typeof id === "string");
    return isCall && typeof name === "string" && isRecord(args) ? { name, input: args } : undefined;
  },

  answerCall(call, { text, isError }) {
    const { id, name } = asRecord(call);
    return {
      type: "tool",
      // LangChain takes plain messages by their role, and its servers by their type.
      role: "tool",
      content: text,
      tool_call_id: id,
      ...(typeof name === "string" ? { name } : {}),
      status: isError ? "error" : "success",
    };
  },
};

function describeStranger(message: unknown): string {
  if (!isRecord(message)) return "is no object";
  const { type, role } = message;
  if (type === undefined && role === undefined) return "has neither a type nor a role";
  const named = type === undefined ? "the role" : "the type";
  return `has ${named} ${JSON.stringify(type ?? role)}, or no content, and is no LangChain message`;
}

function readResult(parsed: LangchainMessage, media: MediaRule): FormatResult[] {
  const { kind, fields } = parsed;
  const content = contentOf(parsed);
  if (kind !== "tool" || !isLeavable(content)) return [];
  const { tool_call_id, name, status } = fields;
  return [
    {
      slot: 0,
      id: textOf(tool_call_id),
      content,
      soleText: soleTextOf(content),
      chars: countLeaving(content, media),
      toolName: textOf(name),
      isError: status === "error",
    },
  ];
}

/** Blocks may hold bytes, which JSON could not give back. */
function isLeavable(content: unknown): content is string | readonly unknown[] {
  return typeof content === "string" || (Array.isArray(content) && isPlainJson(content));
}

function contentOf({ fields, contentKey, wrapper }: LangchainMessage): unknown {
  // What a class works out anew each time cannot be replaced on the object.
  if (wrapper === undefined && !Object.hasOwn(fields, contentKey)) return undefined;
  return fields[contentKey];
}

function readCalls({ tool_calls, invalid_tool_calls, additional_kwargs }: JsonRecord) {
  const calls = [...listOf(tool_calls), ...listOf(invalid_tool_calls)];
  // Before calls had a field of their own, they stood here in OpenAI's shape.
  const raw = calls.length > 0 ? [] : listOf(asRecord(additional_kwargs)["tool_calls"]);
  const named = [...calls, ...raw.map((call) => ({ ...call, ...asRecord(call["function"]) }))];
  return named.flatMap(({ id, name }: JsonRecord): FormatCall[] =>
    typeof name === "string" ? [{ id: textOf(id), name }] : [],
  );
}

function countMessageChars(parsed: LangchainMessage): number {
  const content = contentOf(parsed);
  const calls = listOf(parsed.fields["tool_calls"]);
  let chars = calls.reduce((sum, { args }) => sum + countJsonChars(args), 0);
  if (typeof content === "string") return chars + content.length;
  for (const block of Array.isArray(content) ? (content as readonly unknown[]) : []) {
    const isRepeated = calls.length > 0 && CALL_BLOCKS.has(String(asRecord(block)["type"]));
    if (!isRepeated) chars += countBlockChars(block);
  }
  return chars;
}

function countLeaving(content: string | readonly unknown[], media: MediaRule): number {
  if (typeof content === "string") return content.length;
  let chars = 0;
  for (const block of content) {
    if (media === "offload" || !isMedia(block)) chars += countBlockChars(block);
  }
  return chars;
}

function countBlockChars(block: unknown): number {
  return blockText(block)?.length ?? countJsonChars(block);
}

/** The one text beside nothing but media: where a reference would stand. */
function soleTextOf(content: Content): string | undefined {
  if (typeof content === "string") return content;
  const [first, ...others] = listOfAny(content).filter((block) => !isMedia(block));
  return others.length === 0 ? blockText(first) : undefined;
}

/** The reference as a plain text, or in a block where media or a cache mark must stay beside it. */
function referenceContent(parsed: LangchainMessage, text: string, media: MediaRule): unknown {
  const blocks = listOfAny(contentOf(parsed));
  const kept = media === "keep" ? blocks.filter(isMedia) : [];
  const mark = blocks
    .map((block) => asRecord(block)["cache_control"])
    .findLast((value) => value !== undefined);
  if (kept.length === 0 && mark === undefined && !isMadeOfBlocks(parsed)) return text;
  const marked = kept.some((block) => asRecord(block)["cache_control"] !== undefined);
  const cache_control = mark === undefined || marked ? {} : { cache_control: mark };
  return [{ type: "text", text, ...cache_control }, ...kept];
}

/** Whether the message was made from `contentBlocks`, which are a list and nothing else. */
function isMadeOfBlocks({ contentKey, fields }: LangchainMessage): boolean {
  return contentKey === "content_blocks" || "contentBlocks" in asRecord(fields["lc_kwargs"]);
}

/** A block may also be a bare text. */
function blockText(block: unknown): string | undefined {
  if (typeof block === "string") return block;
  const { type, text } = asRecord(block);
  return type === "text" && typeof text === "string" ? text : undefined;
}

function isMedia(block: unknown): boolean {
  return MEDIA_TYPES.has(String(asRecord(block)["type"]));
}

function listOfAny(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function listOf(value: unknown): readonly JsonRecord[] {
  return listOfAny(value).map(asRecord);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
