import {
  countContentChars,
  type Content,
  type Format,
  type FormatReadOptions,
  type MediaRule,
  type MessageVisitor,
} from "../core/engine/format.js";
import { isPlainJson, nonEmptyText } from "../core/lib/json/plain-json.js";
import {
  aiSdkMismatch,
  PART_TYPES,
  describeAiSdkTool,
  type AiSdkTool,
} from "./shared/ai-sdk-parts.js";
import { readBlockContent, referenceContent, type BlockRules } from "./shared/blocks.js";
import {
  asList,
  asRecord,
  countJsonChars,
  isRecord,
  type JsonRecord,
} from "./shared/json-record.js";
import { describeParts, inputsOf, textsOf } from "./shared/message-parts.js";
import { firstMismatch } from "./shared/visitors.js";

/** The answer to a call: a part for a message of role `tool`. */
export type AiSdkToolAnswer = {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text"; value: string } | { type: "error-text"; value: string };
};

/** Media parts of a `content` output: `file` is new in version 7, the others are older. */
const MEDIA_PARTS =
  /^(?:media|file(?:-data|-url|-id|-reference)?|image-(?:data|url|file-id|file-reference))$/;

const ERROR_TYPES: ReadonlySet<unknown> = new Set(["error-text", "error-json"]);

const RULES: BlockRules = {
  textType: "text",
  // A file with inline text is text, not media.
  isMedia: ({ type, data }) =>
    MEDIA_PARTS.test(String(type)) && !(type === "file" && asRecord(data)["type"] === "text"),
  // It is meant for the provider, not for the model.
  isFixed: ({ type }) => type === "custom",
  cacheMarks: ["providerOptions"],
};

/**
 * AI SDK `ModelMessage`: results are `tool-result` parts of messages of role `tool`. Those in an
 * assistant message are kept: the provider ran the tool, and accepts its answer only unchanged.
 */
export const aiSdkFormat = {
  name: "ai-sdk" as const,

  mismatch: (messages) => firstMismatch(messages, aiSdkMismatch),

  read(message, visitor, options) {
    const { role, content } = asRecord(message);
    if (role === "assistant") visitor.modelMessage();
    if (typeof content === "string") {
      visitor.other(content.length);
      return;
    }
    const known = PART_TYPES.get(role);
    for (const [slot, item] of asList(content).entries()) {
      const part = asRecord(item);
      const type = String(part["type"]);
      if (role === "tool" && type === "tool-result")
        readToolResultPart(part, slot, visitor, options);
      else readPart(part, known?.includes(type) === true ? undefined : type, visitor, options);
    }
  },

  replace: (message, texts, { media }) =>
    withOutputs(
      message,
      texts.map(({ slot, text }) => [slot, (output) => referenceOutput(output, text, media)]),
    ),

  restore: (message, originals) =>
    withOutputs(
      message,
      originals.map(({ slot, content, wrapping }) => [
        slot,
        (output) => ({
          ...output,
          ...(typeof wrapping === "string" ? { type: wrapping } : {}),
          value: content,
        }),
      ]),
    ),

  describeTools: (tools): Record<string, AiSdkTool> =>
    Object.fromEntries(tools.map((tool) => [tool.name, describeAiSdkTool(tool)])),

  readCall(call) {
    const { type, toolName, input } = asRecord(call);
    return type === "tool-call" && typeof toolName === "string"
      ? { name: toolName, input }
      : undefined;
  },

  answerCall(call, { text, isError }): AiSdkToolAnswer {
    const { toolCallId, toolName } = asRecord(call);
    return {
      type: "tool-result",
      toolCallId: nonEmptyText(toolCallId) ?? "",
      toolName: nonEmptyText(toolName) ?? "",
      output: { type: isError ? "error-text" : "text", value: text },
    };
  },

  parts: describeParts(({ role, content }) => [
    ...(role === "user" ? textsOf(content, ["content"], /^text$/) : []),
    ...inputsOf(content, "tool-call", "toolCallId"),
  ]),
} satisfies Format;

function readToolResultPart(
  part: JsonRecord,
  slot: number,
  visitor: MessageVisitor,
  { media, countOther }: FormatReadOptions,
): void {
  const { toolCallId, toolName, output } = part;
  const { type, value } = asRecord(output);
  const id = nonEmptyText(toolCallId);
  if (!isOffloadable(type, value)) {
    visitor.answer?.(id);
    if (countOther) visitor.other(countJsonChars(output));
    return;
  }
  const found =
    type === "content" || typeof value === "string"
      ? readBlockContent(value as string | readonly unknown[], RULES, media)
      : { content: value, soleText: undefined, chars: countContentChars(value) };
  visitor.result({
    slot,
    id,
    ...found,
    toolName: nonEmptyText(toolName),
    isError: ERROR_TYPES.has(type),
    // Everything else of the output is kept in the message; a reference changes only its type.
    wrapping: type,
  });
}

/** A denial has no value; a number or a flag is short; what JSON cannot represent could not be restored. */
function isOffloadable(type: unknown, value: unknown): value is Content {
  switch (type) {
    case "text":
    case "error-text":
      return typeof value === "string";
    case "json":
    case "error-json":
      if (typeof value === "string") return true;
      return typeof value === "object" && value !== null && isPlainJson(value);
    case "content":
      return Array.isArray(value) && value.every(isRecord) && isPlainJson(value);
    default:
      return false;
  }
}

function readPart(
  part: JsonRecord,
  unknownType: string | undefined,
  visitor: MessageVisitor,
  { countOther }: FormatReadOptions,
): void {
  const { type, toolCallId, toolName, input, providerExecuted } = part;
  if (type === "tool-call" && providerExecuted !== true) {
    visitor.call(nonEmptyText(toolCallId), String(toolName), input);
  }
  // A call that was denied gets no result.
  if (type === "tool-approval-response" && part["approved"] === false) visitor.answer?.(undefined);
  visitor.other(countOther ? countPartChars(part) : 0, unknownType);
}

function countPartChars(part: JsonRecord): number {
  const { type, text, input, output } = part;
  if ((type === "text" || type === "reasoning") && typeof text === "string") return text.length;
  if (type === "tool-call") return countJsonChars(input);
  if (type === "tool-result") return countJsonChars(output);
  const held = part["image"] ?? part["data"];
  const bytes = asRecord(held)["type"] === "data" ? asRecord(held)["data"] : held;
  if (bytes instanceof Uint8Array || bytes instanceof ArrayBuffer) {
    return Math.ceil(bytes.byteLength / 3) * 4;
  }
  return countJsonChars(part);
}

function withOutputs(
  message: unknown,
  changes: readonly (readonly [slot: number, change: (output: JsonRecord) => JsonRecord])[],
): unknown {
  const parts = asList(asRecord(message)["content"]).slice();
  for (const [slot, change] of changes) {
    const part = asRecord(parts[slot]);
    parts[slot] = { ...part, output: change(asRecord(part["output"])) };
  }
  return { ...asRecord(message), content: parts };
}

/** The reference as text, or as parts if something else is kept. */
function referenceOutput(output: JsonRecord, text: string, media: MediaRule): JsonRecord {
  const { type, value } = output;
  if (ERROR_TYPES.has(type)) return { ...output, type: "error-text", value: text };
  const reference = referenceContent(type === "content" ? value : text, text, RULES, media);
  return typeof reference === "string"
    ? { ...output, type: "text", value: reference }
    : { ...output, value: reference };
}
