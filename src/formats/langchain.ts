import type {
  Format,
  FormatReadOptions,
  MessageVisitor,
  PartPath,
  ToolInputSchema,
} from "../core/engine/format.js";
import { isPlainJson, nonEmptyText } from "../core/lib/json/plain-json.js";
import {
  blockText,
  readBlockContent,
  referenceBlocks,
  referenceContent,
  type BlockContent,
  type BlockRules,
} from "./shared/blocks.js";
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
  withField,
  type LangchainMessage,
} from "./shared/langchain-message.js";
import { describeParts, putAt, textsOf, valueAt, type PartPlace } from "./shared/message-parts.js";
import { firstMismatch } from "./shared/visitors.js";

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

/** Blocks of the model's content that repeat a call, and the key of its input in each. */
const CALL_BLOCKS: ReadonlyMap<unknown, string> = new Map([
  ["tool_call", "args"],
  ["tool_call_chunk", "args"],
  ["tool_use", "input"],
  ["function_call", "arguments"],
]);

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
      readToolMessage(parsed, visitor, options);
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

  restore(message, originals) {
    const [first] = originals;
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
      const parsed = parseLangchainMessage(message);
      const path = parsed?.wrapper === undefined ? [] : [parsed.wrapper];
      if (parsed?.kind === "ai") return findInputs(parsed.fields, parsed.contentKey, path);
      if (parsed?.kind !== "human") return [];
      const at = [...path, parsed.contentKey];
      return textsOf(valueAt(message, at), at, /^text$/);
    }),
    put(message, path, value) {
      const parsed = parseLangchainMessage(message);
      if (!parsed) return message;
      const [key, ...inner] = path.slice(parsed.wrapper === undefined ? 0 : 1).map(String);
      if (key === undefined) return message;
      return withField(message, key, putAt(parsed.fields[key], inner, value));
    },
  },
} satisfies Format;

/** The inputs of calls, in all the fields that repeat them. */
function findInputs(fields: JsonRecord, contentKey: string, path: PartPath): PartPlace[] {
  const place = (call: JsonRecord, ...at: (string | number)[]): PartPlace => ({
    kind: "toolInput",
    path: [...path, ...at],
    id: nonEmptyText(call["id"] ?? call["call_id"]),
  });
  const ofField = (key: string): PartPlace[] =>
    asList(fields[key]).map((call, index) => place(asRecord(call), key, index, "args"));
  const ofBlocks = asList(fields[contentKey]).flatMap((item, index): PartPlace[] => {
    const block = asRecord(item);
    const inputKey = CALL_BLOCKS.get(block["type"]);
    return inputKey === undefined ? [] : [place(block, contentKey, index, inputKey)];
  });
  const older = asList(asRecord(fields["additional_kwargs"])["tool_calls"]);
  return [
    ...ofField("tool_calls"),
    ...ofField("tool_call_chunks"),
    ...ofBlocks,
    ...older.map((call, index) =>
      place(asRecord(call), "additional_kwargs", "tool_calls", index, "function", "arguments"),
    ),
  ];
}

function describeForeign({ type, role }: JsonRecord): string {
  if (type === undefined && role === undefined) return "has neither a type nor a role";
  const named = type === undefined ? "the role" : "the type";
  return `has ${named} ${JSON.stringify(type ?? role)} or no content, unlike LangChain messages`;
}

function readToolMessage(
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
    const isRepeated = hasCalls && CALL_BLOCKS.has(asRecord(block)["type"]);
    if (text !== undefined) visitor.other(text.length);
    else if (countOther && !isRepeated) visitor.other(countJsonChars(block));
  }
}

/** Whether the message was made from `contentBlocks`, which must be a list. */
function isMadeOfBlocks({ contentKey, fields }: LangchainMessage): boolean {
  return contentKey === "content_blocks" || "contentBlocks" in asRecord(fields["lc_kwargs"]);
}
