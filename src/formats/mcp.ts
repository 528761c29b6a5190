import {
  countContentChars,
  type Content,
  type Format,
  type MediaRule,
  type ToolAnswer,
  type ToolInputSchema,
} from "../core/engine/format.js";
import { countOffloaded, referenceBlocks, soleTextOf, type BlockRules } from "./shared/blocks.js";
import { firstMismatch } from "./shared/visitors.js";
import {
  asList,
  asRecord,
  countJsonChars,
  isRecord,
  type JsonRecord,
} from "./shared/json-record.js";
import { isPlainJson } from "../core/lib/json/plain-json.js";

/** A tool as a server lists it. */
export type McpTool = { name: string; description: string; inputSchema: ToolInputSchema };

/** The answer to a call: a `CallToolResult`. */
export type McpToolAnswer = { content: { type: "text"; text: string }[]; isError?: true };

/** A JSON-RPC request for a tool call. */
export type McpRequest = { readonly jsonrpc: "2.0"; readonly id: string | number };

/** The response to it. */
export type McpResponse = { jsonrpc: "2.0"; id: string | number; result: McpToolAnswer };

const BLOCK_TYPES: readonly unknown[] = ["text", "image", "audio", "resource", "resource_link"];

const RULES: BlockRules = {
  textType: "text",
  // An image, audio, or the bytes of a file; the text of an embedded file is text.
  isMedia: ({ type, resource }) =>
    type === "resource"
      ? asRecord(resource)["blob"] !== undefined
      : type === "image" || type === "audio",
  // Short, and useful only in the message itself.
  isFixed: ({ type }) => type === "resource_link",
  cacheMarks: [],
};

/**
 * MCP tool results, plain or in JSON-RPC responses. `content` and `structuredContent` hold the same
 * data, so both are offloaded and both are restored.
 */
export const mcpFormat = {
  name: "mcp" as const,

  mismatch: (messages) =>
    firstMismatch(messages, (message) =>
      isRpc(message) || isMcpResult(message)
        ? undefined
        : "is neither a CallToolResult nor JSON-RPC",
    ),

  read(message, visitor, { media, countOther }) {
    const { id: rawId, method, params, result: answer, error } = asRecord(message);
    const id = isRpc(message) ? rpcId(rawId) : undefined;
    if (isRpc(message) && method === "tools/call") {
      visitor.modelMessage();
      const { name, arguments: input } = asRecord(params);
      visitor.call(id, String(name), input);
      if (countOther) visitor.other(countJsonChars(asRecord(input)));
      return;
    }
    const result = resultOf(message);
    // What JSON cannot represent is kept, since it could not be restored.
    if (!result || !isPlainJson(bothOf(result))) {
      if (result ?? error ?? answer) visitor.answer?.(id);
      return;
    }
    const { content, structuredContent, isError } = result;
    const hasBoth = structuredContent !== undefined;
    const wrapping = orderOf(result);
    visitor.result({
      slot: 0,
      id,
      content: hasBoth ? bothOf(result) : (content as Content),
      soleText: hasBoth ? undefined : soleTextOf(asList(content), RULES),
      chars: countChars(result, media),
      isError: isError === true,
      ...(wrapping ? { wrapping } : {}),
    });
  },

  replace(message, texts, { media }) {
    const result = resultOf(message);
    const [change] = texts;
    if (!result || !change) return message;
    const content = referenceBlocks(asList(result["content"]), change.text, RULES, media);
    return withResult(message, putContent(result, { content }));
  },

  restore(message, originals) {
    const result = resultOf(message);
    const [change] = originals;
    if (!result || !change) return message;
    const { content, wrapping } = change;
    const held = Array.isArray(content) ? { content } : (content as JsonRecord);
    return withResult(message, inOrder(putContent(result, held), wrapping));
  },

  describeTools: (tools): McpTool[] =>
    tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),

  readCall(call) {
    const { name, arguments: input, type, ...others } = callOf(call);
    if (typeof name !== "string" || type !== undefined || "args" in others) return undefined;
    return input === undefined || isRecord(input) ? { name, input: input ?? {} } : undefined;
  },

  answerCall,
} satisfies Format;

/** A JSON-RPC request is answered with a response, its params alone with a result. */
function answerCall(call: McpRequest, answer: ToolAnswer): McpResponse;
function answerCall(call: unknown, answer: ToolAnswer): McpToolAnswer;
function answerCall(call: unknown, { text, isError }: ToolAnswer): McpToolAnswer | McpResponse {
  const result: McpToolAnswer = {
    content: [{ type: "text", text }],
    ...(isError ? { isError } : {}),
  };
  if (!isRpc(call)) return result;
  return { jsonrpc: "2.0", id: (call as McpRequest).id, result };
}

/** Both as compact JSON, without the blocks that are kept. */
function countChars(result: JsonRecord, media: MediaRule): number {
  const { content, structuredContent } = result;
  const chars = countOffloaded(asList(content), RULES, media);
  if (structuredContent === undefined) return chars;
  return chars + countContentChars(structuredContent as Content);
}

/** What is stored: both, in their order. */
function bothOf(result: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(result).filter(([key]) => isPayload(key)));
}

/** All keys in order, if restoring the two next to each other would change the order. */
function orderOf(result: JsonRecord): readonly string[] | undefined {
  const keys = Object.keys(result);
  const between = Math.abs(keys.indexOf("content") - keys.indexOf("structuredContent"));
  const hasBoth = result["structuredContent"] !== undefined && keys.includes("content");
  return hasBoth && between > 1 ? keys : undefined;
}

function inOrder(result: JsonRecord, wrapping: unknown): JsonRecord {
  if (!Array.isArray(wrapping)) return result;
  const first = (wrapping as readonly string[]).filter((key) => Object.hasOwn(result, key));
  const order = new Set([...first, ...Object.keys(result)]);
  return Object.fromEntries([...order].map((key) => [key, result[key]]));
}

/** The result with another payload, in the position of the first part of the old one. */
function putContent(result: JsonRecord, payload: JsonRecord): JsonRecord {
  let isPut = false;
  const entries = Object.entries(result).flatMap(([key, value]) => {
    if (!isPayload(key) || value === undefined) return [[key, value] as const];
    const put = isPut ? [] : Object.entries(payload);
    isPut = true;
    return put;
  });
  return Object.fromEntries(entries);
}

function isPayload(key: string): boolean {
  return key === "content" || key === "structuredContent";
}

function isRpc(message: unknown): message is JsonRecord {
  return asRecord(message)["jsonrpc"] === "2.0";
}

/** Messages and blocks of other vendors have `content` too, but also a role or a type. */
export function isMcpResult(value: unknown): value is JsonRecord {
  if (!isRecord(value) || value["role"] !== undefined || value["type"] !== undefined) return false;
  const { content, structuredContent } = value;
  if (content === undefined) return isRecord(structuredContent);
  const isBlock = (block: unknown) => BLOCK_TYPES.includes(asRecord(block)["type"]);
  return Array.isArray(content) && content.every(isBlock);
}

function resultOf(message: unknown): JsonRecord | undefined {
  const result = isRpc(message) ? message["result"] : message;
  return isMcpResult(result) ? result : undefined;
}

function withResult(message: unknown, result: JsonRecord): JsonRecord {
  return isRpc(message) ? { ...message, result } : result;
}

function callOf(call: unknown): JsonRecord {
  const { method, params } = asRecord(call);
  if (method === undefined) return asRecord(call);
  return method === "tools/call" ? asRecord(params) : {};
}

function rpcId(id: unknown): string | undefined {
  return typeof id === "string" || typeof id === "number" ? `rpc-${id}` : undefined;
}
