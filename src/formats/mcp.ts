import { countContentChars, type Content } from "../core/engine/content.js";
import type { Format, FormatResult, MediaRule } from "../core/engine/format.js";
import { asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import { isPlainJson } from "./shared/plain-json.js";

const BLOCK_TYPES: readonly unknown[] = ["text", "image", "audio", "resource", "resource_link"];

/**
 * MCP tool results, plain or in JSON-RPC responses. `content` and `structuredContent` say the same
 * thing twice, so both leave and both come back.
 */
export const mcpFormat: Format = {
  name: "mcp",

  mismatch(messages) {
    const stranger = messages.findIndex((message) => !isRpc(message) && !isResult(message));
    if (stranger === -1) return undefined;
    return `message ${stranger} is neither a CallToolResult nor JSON-RPC`;
  },

  read(message, { media }) {
    const { id, method, params } = asRecord(message);
    const isCall = isRpc(message) && method === "tools/call";
    const result = resultOf(message);
    return {
      fromModel: isCall,
      calls: isCall ? [{ id: rpcId(id), name: String(asRecord(params)["name"]) }] : [],
      // What would come back from the store as something else stays.
      results:
        result && isPlainJson(bothOf(result))
          ? [readResult(result, isRpc(message) ? rpcId(id) : undefined, media)]
          : [],
      otherChars: () => (isCall ? countContentChars(asRecord(asRecord(params)["arguments"])) : 0),
    };
  },

  replace(message, texts, { media }) {
    const result = resultOf(message);
    const [change] = texts;
    if (!result || !change) return message;
    const reference = [{ type: "text", text: change.text }, ...keptBlocks(result, media)];
    return withResult(message, putContent(result, { content: reference }));
  },

  restore(message, contents) {
    const result = resultOf(message);
    const [change] = contents;
    if (!result || !change) return message;
    const { content, wrapping } = change;
    const held = Array.isArray(content) ? { content } : (content as JsonRecord);
    return withResult(message, inOrder(putContent(result, held), wrapping));
  },

  describeTools: (tools) =>
    tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),

  readCall(call) {
    const { name, arguments: input, type, ...others } = callOf(call);
    if (typeof name !== "string" || type !== undefined || "args" in others) return undefined;
    return input === undefined || isRecord(input) ? { name, input: input ?? {} } : undefined;
  },

  answerCall(call, { text, isError }) {
    const result = { content: [{ type: "text", text }], ...(isError ? { isError } : {}) };
    return isRpc(call) ? { jsonrpc: "2.0", id: call["id"], result } : result;
  },
};

function readResult(result: JsonRecord, id: string | undefined, media: MediaRule): FormatResult {
  const { content, structuredContent, isError } = result;
  const wrapping = orderOf(result);
  return {
    slot: 0,
    id,
    content: structuredContent === undefined ? (content as Content) : bothOf(result),
    soleText: soleTextOf(result),
    chars: countLeaving(result, media),
    isError: isError === true,
    ...(wrapping ? { wrapping } : {}),
  };
}

/** What is stored: both, in the order in which they stand. */
function bothOf(result: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(result).filter(([key]) => isPayload(key)));
}

/** The keys, where putting both back side by side would not give the order that they had. */
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

/** The result with another payload, where the first of what it had stood. */
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

function keptBlocks({ content }: JsonRecord, media: MediaRule): readonly unknown[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.filter((block) => isLink(block) || (media === "keep" && isMedia(block)));
}

function soleTextOf({ content, structuredContent }: JsonRecord): string | undefined {
  if (structuredContent !== undefined || !Array.isArray(content)) return undefined;
  const blocks: readonly unknown[] = content;
  const [first, ...others] = blocks.filter((block) => !isLink(block) && !isMedia(block));
  return others.length === 0 ? textOf(first) : undefined;
}

function countLeaving({ content, structuredContent }: JsonRecord, media: MediaRule): number {
  let chars = structuredContent === undefined ? 0 : JSON.stringify(structuredContent).length;
  for (const block of Array.isArray(content) ? (content as readonly unknown[]) : []) {
    if (isLink(block) || (media === "keep" && isMedia(block))) continue;
    chars += textOf(block)?.length ?? countContentChars([block]);
  }
  return chars;
}

function textOf(block: unknown): string | undefined {
  const { type, text } = asRecord(block);
  return type === "text" && typeof text === "string" ? text : undefined;
}

/** A picture, sound, or the bytes of a file; the text of an embedded file is text. */
function isMedia(block: unknown): boolean {
  const { type, resource } = asRecord(block);
  if (type === "resource") return asRecord(resource)["blob"] !== undefined;
  return type === "image" || type === "audio";
}

/** Short, and of use only where it stands. */
function isLink(block: unknown): boolean {
  return asRecord(block)["type"] === "resource_link";
}

function isPayload(key: string): boolean {
  return key === "content" || key === "structuredContent";
}

function isRpc(message: unknown): message is JsonRecord {
  return asRecord(message)["jsonrpc"] === "2.0";
}

/** Messages and blocks of other vendors have `content` as well, but a role or a type with it. */
function isResult(value: unknown): value is JsonRecord {
  if (!isRecord(value) || value["role"] !== undefined || value["type"] !== undefined) return false;
  const { content, structuredContent } = value;
  if (content === undefined) return isRecord(structuredContent);
  const isBlock = (block: unknown) => BLOCK_TYPES.includes(asRecord(block)["type"]);
  return Array.isArray(content) && content.every(isBlock);
}

function resultOf(message: unknown): JsonRecord | undefined {
  const result = isRpc(message) ? message["result"] : message;
  return isResult(result) ? result : undefined;
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
