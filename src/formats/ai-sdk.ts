import { countContentChars, type Content } from "../core/engine/content.js";
import type { Format, FormatResult, MediaRule } from "../core/engine/format.js";
import { describeAiSdkTool } from "./shared/ai-sdk-tool.js";
import { asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import { countJsonChars, isPlainJson } from "./shared/plain-json.js";

/** Parts of a `content` output that are nothing to read as text. */
const MEDIA_TYPES = new Set([
  ...["media", "file-data", "file-url", "file-id"],
  ...["image-data", "image-url", "image-file-id"],
]);

/** The parts that each role may carry. A system message is a plain text. */
const PART_TYPES: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["system", []],
  ["user", ["text", "image", "file"]],
  ["assistant", ["text", "file", "reasoning", "tool-call", "tool-result", "tool-approval-request"]],
  ["tool", ["tool-result", "tool-approval-response"]],
]);

/**
 * AI SDK `ModelMessage`: results are `tool-result` parts of a message of the role tool. Those in an
 * assistant message stay: the provider ran the tool, and takes its answer back only in its own shape.
 */
export const aiSdkFormat: Format = {
  name: "ai-sdk",

  mismatch(messages) {
    for (const [index, message] of messages.entries()) {
      const why = mismatchOf(message);
      if (why !== undefined) return `message ${index} ${why}`;
    }
    return undefined;
  },

  read(message, { media }) {
    const { role, content } = asRecord(message);
    const parts = Array.isArray(content) ? content.map(asRecord) : [];
    const results = role === "tool" ? parts.flatMap((part, i) => readResult(part, i, media)) : [];
    return {
      fromModel: role === "assistant",
      calls: parts
        .filter(({ type }) => type === "tool-call")
        .map(({ toolCallId, toolName }) => ({ id: idOf(toolCallId), name: String(toolName) })),
      results,
      otherChars: () => {
        if (typeof content === "string") return content.length;
        const located = new Set(results.map(({ slot }) => slot));
        const others = parts.filter((_, slot) => !located.has(slot));
        return others.reduce((sum, part) => sum + countPartChars(part), 0);
      },
    };
  },

  replace: (message, texts, { media }) =>
    withOutputs(
      message,
      texts.map(({ slot, text }) => [slot, (output) => referenceOutput(output, text, media)]),
    ),

  restore: (message, contents) =>
    withOutputs(
      message,
      contents.map(({ slot, content, wrapping }) => [
        slot,
        (output) => ({
          ...output,
          ...(typeof wrapping === "string" ? { type: wrapping } : {}),
          value: content,
        }),
      ]),
    ),

  describeTools: (tools) =>
    Object.fromEntries(tools.map((tool) => [tool.name, describeAiSdkTool(tool)])),

  readCall(call) {
    const { type, toolName, input } = asRecord(call);
    return type === "tool-call" && typeof toolName === "string"
      ? { name: toolName, input }
      : undefined;
  },

  answerCall(call, { text, isError }) {
    const { toolCallId, toolName } = asRecord(call);
    const output = { type: isError ? "error-text" : "text", value: text };
    return { type: "tool-result", toolCallId, toolName, output };
  },
};

function mismatchOf(message: unknown): string | undefined {
  const { role, content, parts, tool_calls, tool_call_id, _getType } = asRecord(message);
  if (typeof _getType === "function") return "is an instance of a LangChain message";
  const allowed = PART_TYPES.get(role);
  if (!allowed) {
    return `has the role ${JSON.stringify(role)} instead of system, user, assistant or tool`;
  }
  if (parts !== undefined && content === undefined) {
    return "has parts and no content (messages of a user interface go through convertToModelMessages first)";
  }
  if (tool_calls !== undefined || tool_call_id !== undefined) {
    return "has tool_calls or a tool_call_id, where the AI SDK has parts of its content";
  }
  if (typeof content === "string" && role !== "tool") return undefined;
  if (!Array.isArray(content)) return "has no content of parts";
  for (const part of content) {
    const { type } = asRecord(part);
    if (typeof type !== "string" || !allowed.includes(type)) {
      return `of the role ${String(role)} has a part of type ${JSON.stringify(type)}`;
    }
    const missing = missingField(asRecord(part));
    if (missing !== undefined) return `has a part of type ${type} without ${missing}`;
  }
  return undefined;
}

/** Other vendors have parts of the same type; these fields are the AI SDK's. */
function missingField(part: JsonRecord): string | undefined {
  const { type, output, toolCallId, image, data } = part;
  if (type === "image") return image === undefined ? "image" : undefined;
  if (type === "file") return data === undefined ? "data" : undefined;
  if (type === "tool-call") return toolCallId === undefined ? "toolCallId" : undefined;
  return type === "tool-result" && !isRecord(output) ? "an output (AI SDK 5 and later)" : undefined;
}

function readResult(part: JsonRecord, slot: number, media: MediaRule): FormatResult[] {
  const { type, value } = asRecord(part["output"]);
  if (part["type"] !== "tool-result" || !isLeavable(type, value)) return [];
  const { toolCallId, toolName } = part;
  const parts = type === "content" ? (value as readonly unknown[]) : undefined;
  return [
    {
      slot,
      id: idOf(toolCallId),
      content: value,
      soleText: parts ? soleTextOf(parts) : typeof value === "string" ? value : undefined,
      chars: parts ? countLeaving(parts, media) : countContentChars(value),
      toolName: typeof toolName === "string" && toolName !== "" ? toolName : undefined,
      isError: isErrorType(type),
      // All else of the output stays in the message; a reference may change its type alone.
      wrapping: type,
    },
  ];
}

/** A denial has no value; a number or a flag is short; what JSON cannot hold could not come back. */
function isLeavable(type: unknown, value: unknown): value is Content {
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

function withOutputs(
  message: unknown,
  changes: readonly (readonly [slot: number, change: (output: JsonRecord) => JsonRecord])[],
): unknown {
  const parts = (asRecord(message)["content"] as readonly unknown[]).slice();
  for (const [slot, change] of changes) {
    const part = asRecord(parts[slot]);
    parts[slot] = { ...part, output: change(asRecord(part["output"])) };
  }
  return { ...asRecord(message), content: parts };
}

/** The reference as a text, or as parts where something must stay beside it. */
function referenceOutput(output: JsonRecord, text: string, media: MediaRule): JsonRecord {
  const { type, value } = output;
  if (isErrorType(type)) return { ...output, type: "error-text", value: text };
  const parts: readonly unknown[] = type === "content" && Array.isArray(value) ? value : [];
  const kept = parts.filter((part) => staysInline(part, media));
  // The options of a part that leaves may be a cache mark; the last of them goes with the reference.
  const providerOptions = parts
    .filter((part) => !staysInline(part, media))
    .map((part) => asRecord(part)["providerOptions"])
    .findLast((options) => options !== undefined);
  if (kept.length === 0 && providerOptions === undefined) {
    return { ...output, type: "text", value: text };
  }
  const marked = providerOptions === undefined ? {} : { providerOptions };
  return { ...output, value: [{ type: "text", text, ...marked }, ...kept] };
}

/** A custom part speaks to the provider and not to the model, so no rule takes it out. */
function staysInline(part: unknown, media: MediaRule): boolean {
  const { type } = asRecord(part);
  return type === "custom" || (media === "keep" && MEDIA_TYPES.has(String(type)));
}

function countLeaving(parts: readonly unknown[], media: MediaRule): number {
  let chars = 0;
  for (const part of parts) {
    if (staysInline(part, media)) continue;
    const { type, text } = asRecord(part);
    chars += type === "text" && typeof text === "string" ? text.length : countJsonChars(part);
  }
  return chars;
}

/** The one text beside nothing but media: where a reference would stand. */
function soleTextOf(parts: readonly unknown[]): string | undefined {
  const [first, ...others] = parts.filter((part) => !staysInline(part, "keep"));
  const { type, text } = asRecord(first);
  return others.length === 0 && type === "text" && typeof text === "string" ? text : undefined;
}

function countPartChars(part: JsonRecord): number {
  const { type, text, input, output } = part;
  if ((type === "text" || type === "reasoning") && typeof text === "string") return text.length;
  if (type === "tool-call") return countJsonChars(input);
  if (type === "tool-result") return countJsonChars(output);
  const data = part["image"] ?? part["data"];
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) {
    return Math.ceil(data.byteLength / 3) * 4;
  }
  return countJsonChars(part);
}

function isErrorType(type: unknown): boolean {
  return type === "error-text" || type === "error-json";
}

function idOf(id: unknown): string | undefined {
  return typeof id === "string" && id !== "" ? id : undefined;
}
