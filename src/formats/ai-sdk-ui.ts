import {
  countContentChars,
  type Content,
  type Format,
  type FormatOptions,
  type FormatReadOptions,
  type MessageVisitor,
  type SlotContent,
} from "../core/engine/format.js";
import { isPlainJson, nonEmptyText } from "../core/lib/json/plain-json.js";
import { isMcpResult, mcpFormat } from "./mcp.js";
import { describeAiSdkTool, type AiSdkTool } from "./shared/ai-sdk-parts.js";
import { asList, asRecord, countJsonChars, type JsonRecord } from "./shared/json-record.js";
import { describeParts, textsOf, type PartPlace } from "./shared/message-parts.js";
import { firstMismatch, relayTo } from "./shared/visitors.js";

/** The answer to a call: its part, with the output. */
export type AiSdkUiToolAnswer = (
  { type: `tool-${string}` } | { type: "dynamic-tool"; toolName: string }
) & { toolCallId: string; input: unknown } & (
    { state: "output-available"; output: string } | { state: "output-error"; errorText: string }
  );

const ROLES: readonly unknown[] = ["system", "user", "assistant"];

const KNOWN_PARTS =
  /^(?:text|reasoning|file|reasoning-file|custom|source-url|source-document|step-start|steering-message|data-.+)$/s;

/** The states of a call that nothing has answered yet; one whose input is still streaming is not complete. */
const OPEN: readonly unknown[] = ["input-available", "approval-requested", "approval-responded"];

/**
 * AI SDK `UIMessage`: a part of an assistant message holds a call and its output, which may be any JSON
 * value. MCP results keep their shape, since the tool that made them converts them for the model.
 */
export const aiSdkUiFormat = {
  name: "ai-sdk-ui" as const,

  mismatch: (messages) => firstMismatch(messages, mismatchOf),

  read(message, visitor, options) {
    const { role, parts } = asRecord(message);
    if (role === "assistant") visitor.modelMessage();
    for (const [slot, item] of asList(parts).entries()) {
      const part = asRecord(item);
      if (isToolPart(part)) readToolPart(part, slot, visitor, options);
      else readPart(part, visitor, options);
    }
  },

  replace: (message, texts, options) =>
    withParts(
      message,
      texts.map(({ slot, text }) => [slot, (part) => withReference(part, text, options)]),
    ),

  restore: (message, originals) =>
    withParts(
      message,
      originals.map((original) => [original.slot, (part) => withContent(part, original)]),
    ),

  describeTools: (tools): Record<string, AiSdkTool> =>
    Object.fromEntries(tools.map((tool) => [tool.name, describeAiSdkTool(tool)])),

  readCall(call) {
    const part = asRecord(call);
    const name = nameOf(part);
    return isToolPart(part) && name !== undefined ? { name, input: part["input"] } : undefined;
  },

  answerCall(call, { text, isError }): AiSdkUiToolAnswer {
    const part = asRecord(call);
    const { toolCallId, input } = part;
    const name = nameOf(part) ?? "";
    const made =
      part["type"] === "dynamic-tool"
        ? ({ type: "dynamic-tool", toolName: name } as const)
        : ({ type: `tool-${name}` } as const);
    return {
      ...made,
      toolCallId: nonEmptyText(toolCallId) ?? "",
      input,
      ...(isError
        ? { state: "output-error", errorText: text }
        : { state: "output-available", output: text }),
    };
  },

  parts: describeParts(({ role, parts }) => [
    ...(role === "user" ? textsOf(parts, ["parts"], /^text$/) : []),
    ...asList(parts).flatMap((part, slot): PartPlace[] => {
      const { toolCallId, providerExecuted } = asRecord(part);
      if (!isToolPart(asRecord(part)) || providerExecuted === true) return [];
      const id = nonEmptyText(toolCallId);
      return [{ kind: "toolInput", path: ["parts", slot, "input"], id }];
    }),
  ]),
} satisfies Format;

function mismatchOf({ role, parts }: JsonRecord): string | undefined {
  if (!ROLES.includes(role)) {
    return `has the role ${JSON.stringify(role)} instead of system, user or assistant`;
  }
  if (!Array.isArray(parts)) return "has no parts";
  for (const part of parts.map(asRecord)) {
    const { type, toolCallId } = part;
    if (isToolPart(part)) {
      if (typeof toolCallId !== "string")
        return `has a part of type ${String(type)} without toolCallId`;
    } else if (!isKnownPart(part)) return `has a part of type ${JSON.stringify(type)}`;
  }
  return undefined;
}

/** AI SDK 4 had parts of type `tool-invocation`, which hold everything one level deeper. */
function isToolPart({ type, toolInvocation }: JsonRecord): boolean {
  if (typeof type !== "string" || toolInvocation !== undefined) return false;
  return type === "dynamic-tool" || type.startsWith("tool-");
}

function isKnownPart({ type }: JsonRecord): boolean {
  return typeof type === "string" && KNOWN_PARTS.test(type);
}

function nameOf({ type, toolName }: JsonRecord): string | undefined {
  return type === "dynamic-tool" ? nonEmptyText(toolName) : String(type).slice("tool-".length);
}

function readToolPart(
  part: JsonRecord,
  slot: number,
  visitor: MessageVisitor,
  options: FormatReadOptions,
): void {
  const { toolCallId, input, rawInput, state, providerExecuted } = part;
  const id = nonEmptyText(toolCallId);
  const toolName = nameOf(part);
  if (providerExecuted === true) {
    if (options.countOther) visitor.other(countJsonChars(part));
    return;
  }
  const isAnswered = /^output-/.test(String(state));
  const given = input ?? rawInput;
  if (isAnswered || OPEN.includes(state)) visitor.call(id, String(toolName), given);
  if (options.countOther) visitor.other(countJsonChars(given));
  if (!isAnswered) {
    if (isNotApproved(part)) visitor.answer?.(id);
    return;
  }
  const content = part[outputKey(part)];
  if (!isOffloadable(content) || part["preliminary"] === true) {
    visitor.answer?.(id);
    if (options.countOther) visitor.other(countJsonChars(content));
  } else if (isMcpResult(content)) {
    const relay = relayTo(visitor, (result) => ({ ...result, slot, id, toolName }));
    mcpFormat.read(content, relay, options);
  } else {
    const soleText = typeof content === "string" ? content : undefined;
    const isError = state === "output-error";
    const chars = countContentChars(content);
    visitor.result({ slot, id, content, soleText, chars, toolName, isError });
  }
}

/** Whether the call was denied, or is not approved yet: it may never get a result. */
function isNotApproved({ state, approval }: JsonRecord): boolean {
  if (state === "approval-requested") return true;
  return state === "approval-responded" && asRecord(approval)["approved"] === false;
}

/** Numbers and flags are short; what JSON cannot represent could not be restored. */
function isOffloadable(content: unknown): content is Content {
  if (typeof content === "string") return true;
  return typeof content === "object" && content !== null && isPlainJson(content);
}

function readPart(
  part: JsonRecord,
  visitor: MessageVisitor,
  { countOther }: FormatReadOptions,
): void {
  const { type, text } = part;
  const unknownType = isKnownPart(part) ? undefined : String(type);
  if (typeof text === "string") visitor.other(text.length, unknownType);
  else visitor.other(countOther ? countJsonChars(part) : 0, unknownType);
}

function outputKey({ state }: JsonRecord): "errorText" | "output" {
  return state === "output-error" ? "errorText" : "output";
}

function withReference(part: JsonRecord, text: string, options: FormatOptions): JsonRecord {
  const { output } = part;
  const content = isMcpResult(output)
    ? mcpFormat.replace(output, [{ slot: 0, text }], options)
    : text;
  return { ...part, [outputKey(part)]: content };
}

function withContent(part: JsonRecord, stored: SlotContent): JsonRecord {
  const { output } = part;
  const content = isMcpResult(output) ? mcpFormat.restore(output, [stored]) : stored.content;
  return { ...part, [outputKey(part)]: content };
}

function withParts(
  message: unknown,
  changes: readonly (readonly [slot: number, change: (part: JsonRecord) => JsonRecord])[],
): unknown {
  const parts = asList(asRecord(message)["parts"]).slice();
  for (const [slot, change] of changes) parts[slot] = change(asRecord(parts[slot]));
  return { ...asRecord(message), parts };
}
