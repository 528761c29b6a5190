import { nonEmptyText } from "../core/lib/text/plain-text.js";
import type {
  Format,
  FormatReadOptions,
  MessageVisitor,
  ToolInputSchema,
} from "../core/engine/format.js";
import {
  blockText,
  readBlockContent,
  referenceBlocks,
  referenceContent,
  type BlockContent,
  type BlockRules,
} from "./shared/blocks.js";
import { describeParts, putAt, textsOf, valueAt } from "./shared/message-parts.js";
import { firstMismatch } from "./shared/visitors.js";
import {
  asList,
  asRecord,
  countJsonChars,
  isRecord,
  type JsonRecord,
} from "./shared/json-record.js";
import {
  isOwnMessage,
  parseLangchainMessage,
  withContent,
  type LangchainMessage,
} from "./shared/langchain-message.js";
import { isPlainJson } from "../core/lib/json/plain-json.js";

/** A tool as `bindTools` takes it. */
export type LangchainTool = { name: string; description: string; schema: ToolInputSchema };

/** The fields of a tool message. LangChain recognizes plain objects by `role`, its servers by `type`. */
export type LangchainToolAnswer = {
  type: "tool";
  role: "tool";
  content: string;
  tool_call_id: string;
  name?: string;
  status: "success" | "error";
};

const MEDIA_TYPES = /^(?:image(?:_url)?|(?:input_)?audio|video|file|document|media)$/;

const RULES: BlockRules = {
  textType: "text",
  isMedia: ({ type }) => MEDIA_TYPES.test(String(type)),
  cacheMarks: ["cache_control"],
};

/** Blocks of the model's content that repeat a call. */
const CALL_BLOCKS = new Set(["tool_call", "tool_call_chunk", "tool_use", "function_call"]);

/** LangChain messages: instances, serialized or stored. A tool message is one result. */
export const langchainFormat = {
  name: "langchain" as const,

  mismatch(messages) {
    const why = firstMismatch(messages, (message) =>
      parseLangchainMessage(message) ? undefined : describeForeign(message),
    );
    if (why !== undefined || messages.length === 0 || messages.some(isOwnMessage)) return why;
    return "no message has the type of a LangChain message (human, ai, tool, system)";
  },

  read(message, visitor, options) {
    const parsed = parseLangchainMessage(message);
    if (!parsed) return;
    if (parsed.kind === "tool") {
      readResult(parsed, visitor, options);
      return;
    }
    if (parsed.kind === "ai") {
      visitor.modelMessage();
      readCalls(parsed.fields, visitor, options);
    }
    readContent(parsed, visitor, options);
  },

  replace(message, texts, { media }) {
    const [first] = texts;
    const parsed = parseLangchainMessage(message);
    if (!first || !parsed) return message;
    const content = contentOf(parsed);
    const reference =
      isMadeOfBlocks(parsed) && Array.isArray(content)
        ? referenceBlocks(content, first.text, RULES, media)
        : referenceContent(content, first.text, RULES, media);
    return withContent(message, reference);
  },

  restore(message, contents) {
    const [first] = contents;
    return first ? withContent(message, first.content) : message;
  },

  describeTools: (tools): LangchainTool[] =>
    tools.map(({ name, description, inputSchema }) => ({ name, description, schema: inputSchema })),

  readCall(call) {
    const { type, id, name, args } = asRecord(call);
    const isCall = type === "tool_call" || (type === undefined && typeof id === "string");
    return isCall && typeof name === "string" && isRecord(args) ? { name, input: args } : undefined;
  },

  answerCall(call, { text, isError }): LangchainToolAnswer {
    const { id, name } = asRecord(call);
    return {
      type: "tool",
      role: "tool",
      content: text,
      tool_call_id: nonEmptyText(id) ?? "",
      ...(typeof name === "string" ? { name } : {}),
      status: isError ? "error" : "success",
    };
  },

  parts: {
    ...describeParts((message) => {
      const { kind, wrapper, contentKey } = parseLangchainMessage(message) ?? {};
      // Inputs are repeated in several fields of a message, in several forms.
      if (kind !== "human" || contentKey === undefined) return [];
      const path = wrapper === undefined ? [contentKey] : [wrapper, contentKey];
      return textsOf(valueAt(message, path), path, /^text$/);
    }),
    put(message, path, value) {
      const parsed = parseLangchainMessage(message);
      if (!parsed) return message;
      const inner = path.slice(parsed.wrapper === undefined ? 1 : 2);
      return withContent(message, putAt(contentOf(parsed), inner, value));
    },
  },
} satisfies Format;

function describeForeign({ type, role }: JsonRecord): string {
  if (type === undefined && role === undefined) return "has neither a type nor a role";
  const named = type === undefined ? "the role" : "the type";
  return `has ${named} ${JSON.stringify(type ?? role)} or no content, unlike LangChain messages`;
}

function readResult(
  parsed: LangchainMessage,
  visitor: MessageVisitor,
  { media, countOther }: FormatReadOptions,
): void {
  const content = contentOf(parsed);
  const { tool_call_id, name, status } = parsed.fields;
  const id = nonEmptyText(tool_call_id);
  if (!isOffloadable(content)) {
    visitor.answer?.(id);
    if (countOther) visitor.other(countJsonChars(content));
    return;
  }
  const found = readBlockContent(content, RULES, media);
  visitor.result({
    slot: 0,
    id,
    ...found,
    toolName: nonEmptyText(name),
    isError: status === "error",
  });
}

/** Blocks may hold bytes, which could not be restored from JSON. */
function isOffloadable(content: unknown): content is BlockContent {
  return typeof content === "string" || (Array.isArray(content) && isPlainJson(content));
}

function contentOf({ fields, contentKey, wrapper }: LangchainMessage): unknown {
  const own = Object.getOwnPropertyDescriptor(fields, contentKey);
  if (own) return own.value;
  // Content that is computed on access, by the class or by the object, could not be restored.
  return wrapper === undefined ? undefined : fields[contentKey];
}

function readCalls(
  { tool_calls, invalid_tool_calls, additional_kwargs }: JsonRecord,
  visitor: MessageVisitor,
  { countOther }: FormatReadOptions,
): void {
  const calls = [...asList(tool_calls), ...asList(invalid_tool_calls)].map(asRecord);
  for (const { id, name, args } of calls) {
    if (typeof name === "string") visitor.call(nonEmptyText(id), name, args);
    if (countOther && isRecord(args)) visitor.other(countJsonChars(args));
  }
  if (calls.length > 0) return;
  // Before calls had their own field, they were here, in OpenAI's shape.
  for (const call of asList(asRecord(additional_kwargs)["tool_calls"]).map(asRecord)) {
    const { name, arguments: input } = asRecord(call["function"]);
    if (typeof name === "string") visitor.call(nonEmptyText(call["id"]), name, input);
  }
}

function readContent(
  parsed: LangchainMessage,
  visitor: MessageVisitor,
  { countOther }: FormatReadOptions,
): void {
  const content = contentOf(parsed);
  if (typeof content === "string") {
    visitor.other(content.length);
    return;
  }
  const hasCalls = asList(parsed.fields["tool_calls"]).length > 0;
  for (const block of asList(content)) {
    const text = blockText(block, RULES);
    const isRepeated = hasCalls && CALL_BLOCKS.has(String(asRecord(block)["type"]));
    if (text !== undefined) visitor.other(text.length);
    else if (countOther && !isRepeated) visitor.other(countJsonChars(block));
  }
}

/** Whether the message was made from `contentBlocks`, which must be a list. */
function isMadeOfBlocks({ contentKey, fields }: LangchainMessage): boolean {
  return contentKey === "content_blocks" || "contentBlocks" in asRecord(fields["lc_kwargs"]);
}
