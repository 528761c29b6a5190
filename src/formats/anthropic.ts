import {
  type ToolInputSchema,
  countContentChars,
  type Format,
  type FormatOptions,
  type FormatReadOptions,
  type MessageVisitor,
  type SlotContent,
  type SlotText,
} from "../core/engine/format.js";
import { describeValue } from "../core/errors/context-offload-error.js";
import { nonEmptyText } from "../core/lib/json/plain-json.js";
import {
  isBlockContent,
  readBlockContent,
  referenceContent,
  type BlockContent,
  type BlockRules,
} from "./shared/blocks.js";
import { asList, asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import { describeParts, inputsOf, textsOf } from "./shared/message-parts.js";
import { firstMismatch } from "./shared/visitors.js";

/** A piece of text. */
export interface AnthropicTextBlock {
  type: "text";
  text: string;
}

/** An image, inline or by URL. */
export interface AnthropicImageBlock {
  type: "image";
  source: { type: "base64"; media_type: string; data: string } | { type: "url"; url: string };
}

/** A tool call by the model. */
export interface AnthropicToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

/** The result of a tool call. */
export interface AnthropicToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content?: string | AnthropicContentBlock[];
  is_error?: boolean;
}

/** A block of a message; blocks of other types are kept as they are. */
export type AnthropicContentBlock =
  AnthropicTextBlock | AnthropicImageBlock | AnthropicToolUseBlock | AnthropicToolResultBlock;

/** A message of Anthropic's API; the role `tool` is for hosts that store a result as a separate message. */
export interface AnthropicMessage {
  role: "user" | "assistant" | "tool";
  content: string | AnthropicContentBlock[];
}

/**
 * What the functions accept: anything shaped like a message, so that messages of the vendor's SDK,
 * with blocks and fields that are not listed here, keep their own type.
 */
export interface AnthropicMessageLike {
  readonly role: string;
  readonly content: string | readonly { readonly type: string }[];
}

/** A tool as Anthropic's API takes it. */
export type AnthropicTool = { name: string; description: string; input_schema: ToolInputSchema };

/** The answer to a call: a block for a user message. */
export type AnthropicToolAnswer = {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error?: true;
};

/** Messages and blocks as they may actually come: nothing about them is certain. */
type RawMessage = { readonly role?: unknown; readonly content?: unknown; readonly id?: unknown };
type RawBlock = {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly tool_use_id?: unknown;
  readonly content?: unknown;
  readonly is_error?: unknown;
};

const NOTHING = {};

/** The slot of a result that is the message itself rather than one of its blocks. */
const WHOLE_MESSAGE = -1;

const MEDIA_TYPES: readonly unknown[] = ["image", "document", "audio", "video"];

const RULES: BlockRules = {
  textType: "text",
  isMedia: ({ type }) => MEDIA_TYPES.includes(type),
  // The API itself evaluates it.
  isFixed: ({ type }) => type === "tool_reference",
  cacheMarks: ["cache_control"],
};

/** Every type of block that a message of the API may hold, results of server tools included. */
const KNOWN_BLOCKS =
  /^(?:text|image|document|audio|video|search_result|(?:redacted_)?thinking|tool_(?:use|result|reference|addition|removal)|server_tool_use|mcp_tool_(?:use|listing)|\w+_tool_result|container_upload|compaction|fallback|advisor_\w+)$/;

/** Types of other vendors. The API's own types are in snake case, so any other case is foreign too. */
const FOREIGN_BLOCKS = /[^a-z0-9_]|^(?:image_url|input_\w+|output_\w+|function\w*|refusal|file)$/;

/**
 * Anthropic Messages: results are `tool_result` blocks of user messages. A message of role `tool` is
 * one result as a whole; the API has no such role, so it is not a sign of this format.
 */
export const anthropicFormat = {
  name: "anthropic" as const,

  mismatch(messages) {
    // The API has no system messages in the list, but recordings may put them there.
    let hasBlocks: boolean | undefined;
    return firstMismatch(messages, (message) =>
      mismatchOf(message, () => (hasBlocks ??= messages.some(hasToolBlocks))),
    );
  },

  /** Common cases come first: reading a history must cost little more than adding up lengths. */
  read(message, visitor, options) {
    const { role, content } = (message ?? NOTHING) as RawMessage;
    if (role === "assistant") visitor.modelMessage(nonEmptyText((message as RawMessage).id));
    if (role === "tool" && isWholeResult(content)) {
      readWhole(asRecord(message), content, visitor, options);
    } else if (typeof content === "string") {
      visitor.other(content.length);
    } else if (Array.isArray(content)) {
      for (let slot = 0; slot < content.length; slot++) {
        const block = (content[slot] ?? NOTHING) as RawBlock;
        const type = block.type;
        if (type === "text" && typeof block.text === "string") visitor.other(block.text.length);
        else if (type === "tool_result") readToolResultBlock(block, slot, visitor, options);
        else readOther(block, visitor, options);
      }
    } else {
      const what = isRecord(message) ? "malformed content" : "malformed message";
      visitor.other(countWhere(options, message), what);
    }
  },

  replace<M>(message: M, texts: readonly SlotText[], { media }: FormatOptions): M {
    return withContents(
      message,
      texts.map(({ slot, text }) => [
        slot,
        (content) => referenceContent(content, text, RULES, media),
      ]),
    );
  },

  restore<M>(message: M, originals: readonly SlotContent[]): M {
    return withContents(
      message,
      originals.map(({ slot, content }) => [slot, () => content]),
    );
  },

  describeTools: (tools): AnthropicTool[] =>
    tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    })),

  readCall(call) {
    const { type, name, input } = asRecord(call);
    return type === "tool_use" && typeof name === "string" ? { name, input } : undefined;
  },

  answerCall: (call, { text, isError }): AnthropicToolAnswer => ({
    type: "tool_result",
    tool_use_id: nonEmptyText(asRecord(call)["id"]) ?? "",
    content: text,
    ...(isError ? { is_error: true } : {}),
  }),

  parts: describeParts(({ role, content }) => [
    ...(role === "user" ? textsOf(content, ["content"], /^text$/) : []),
    ...inputsOf(content, "tool_use", "id"),
  ]),
} satisfies Format;

function mismatchOf(message: JsonRecord, hasBlocks: () => boolean): string | undefined {
  const { role, content, type, tool_calls } = message;
  if (tool_calls !== undefined) return "has tool_calls";
  if (type !== undefined && type !== "message") return `has the type ${JSON.stringify(type)}`;
  if (role === "system" && hasBlocks()) return undefined;
  if (role !== "user" && role !== "assistant") {
    return `has the role ${JSON.stringify(role)} instead of user or assistant`;
  }
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content)) return "has no content";
  const foreign = content.find((block) => !isAnthropicBlock(block)) as unknown;
  if (foreign === undefined) return undefined;
  const foreignType = typeOf(foreign);
  return foreignType === undefined
    ? `has a block without a type, ${describeValue(foreign)}`
    : `has a block of type ${JSON.stringify(foreignType)}`;
}

function hasToolBlocks(message: unknown): boolean {
  const isToolBlock = (block: unknown) => /^tool_(?:use|result)$/.test(String(typeOf(block)));
  return asList(asRecord(message)["content"]).some(isToolBlock);
}

function isAnthropicBlock(block: unknown): boolean {
  const { type, source, toolUseID } = asRecord(block);
  // Amp has blocks of the same types, but for its ids.
  if (typeof type !== "string" || FOREIGN_BLOCKS.test(type) || toolUseID !== undefined)
    return false;
  // Other vendors have image blocks too, but without a source object.
  return type !== "image" || isRecord(source);
}

/** A message of role `tool` whose blocks are not results themselves, nor another vendor's. */
function isWholeResult(content: unknown): content is BlockContent {
  if (typeof content === "string") return true;
  return (
    Array.isArray(content) &&
    content.every((block) => isAnthropicBlock(block) && typeOf(block) !== "tool_result")
  );
}

function readWhole(
  message: JsonRecord,
  content: BlockContent,
  visitor: MessageVisitor,
  options: FormatReadOptions,
): void {
  const { tool_use_id, tool_call_id } = message;
  const id = tool_use_id ?? tool_call_id;
  if (!isId(id)) {
    visitor.other(countWhere(options, content), "malformed id");
    return;
  }
  const found = readBlockContent(content, RULES, options.media);
  visitor.result({ slot: WHOLE_MESSAGE, id: nonEmptyText(id), ...found, isError: false });
}

function readToolResultBlock(
  block: RawBlock,
  slot: number,
  visitor: MessageVisitor,
  options: FormatReadOptions,
): void {
  const { tool_use_id, content, is_error } = block;
  const id = nonEmptyText(tool_use_id);
  const isEmpty = content === undefined || content === null;
  if (typeof content === "string" && id !== undefined) {
    const isError = is_error === true;
    visitor.result({ slot, id, content, soleText: content, chars: content.length, isError });
  } else if (isEmpty && id !== undefined) {
    visitor.answer?.(id);
  } else if (!isBlockContent(content)) {
    visitor.other(countWhere(options, block), "malformed tool_result");
  } else if (!isId(tool_use_id)) {
    visitor.other(countWhere(options, block), "malformed id");
  } else {
    const found = readBlockContent(content, RULES, options.media);
    visitor.result({ slot, id, ...found, isError: is_error === true });
  }
}

function readOther(block: unknown, visitor: MessageVisitor, options: FormatReadOptions): void {
  const { type, id, name, input } = asRecord(block);
  if (type === "tool_use") {
    const chars = countWhere(options, input);
    visitor.call(nonEmptyText(id), String(name), input);
    visitor.other(chars);
  } else if (typeof type !== "string") {
    visitor.other(countWhere(options, block), "malformed block");
  } else {
    const chars = countWhere(options, block);
    visitor.other(chars, KNOWN_BLOCKS.test(type) ? undefined : type);
  }
}

/** The length as JSON, if it is to be counted. */
function countWhere({ countOther }: FormatReadOptions, value: unknown): number {
  return countOther && value !== undefined ? countContentChars([value]) - "[]".length : 0;
}

/** An id may be missing, but one of another type is a mistake of the host. */
function isId(id: unknown): boolean {
  return id === undefined || id === null || typeof id === "string";
}

function typeOf(block: unknown): unknown {
  return asRecord(block)["type"];
}

function withContents<M>(
  message: M,
  changes: readonly (readonly [slot: number, change: (content: unknown) => unknown])[],
): M {
  const { content } = asRecord(message);
  const [first] = changes;
  if (first?.[0] === WHOLE_MESSAGE) return { ...message, content: first[1](content) };
  const blocks = asList(content).slice();
  for (const [slot, change] of changes) {
    const block = asRecord(blocks[slot]);
    blocks[slot] = { ...block, content: change(block["content"]) };
  }
  return { ...message, content: blocks };
}
