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
import { isPlainJson, parseJson } from "../core/lib/json/plain-json.js";

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
 * data, so both are offloaded and both are restored; where one can be made from the other, it is
 * stored once.
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
    const soleText = soleTextOf(asList(content), RULES);
    const isTwice = structuredContent !== undefined;
    const copy =
      isTwice && soleText !== undefined ? copyOf(structuredContent, soleText) : undefined;
    const wrapping = wrappingOf(result, copy);
    visitor.result({
      slot: 0,
      id,
      content: isTwice && !copy ? bothOf(result) : (content as Content),
      soleText: isTwice && !copy ? undefined : soleText,
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
    const { keys, copy } = parseWrapping(wrapping);
    const held = Array.isArray(content)
      ? { content, ...(copy ? { structuredContent: makeCopy(copy, content) } : {}) }
      : (content as JsonRecord);
    return withResult(message, inOrder(putContent(result, held), keys));
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

/** How structured content repeats the text: parsed from it, or as the only value of an object, under this key. */
type Copy = "parsed" | { readonly key: string };

/** What is kept beside the stored content. Earlier versions kept the keys alone. */
interface McpWrapping {
  /** All keys in order, if restoring the two next to each other would change the order. */
  readonly keys?: readonly string[] | undefined;
  /** There if only the text was stored. */
  readonly copy?: Copy | undefined;
}

/** How structured content can be made from the text; `undefined` if it cannot. */
function copyOf(structured: unknown, text: string): Copy | undefined {
  const [entry, ...others] = Object.entries(asRecord(structured));
  if (entry?.[1] === text && others.length === 0) return { key: entry[0] };
  const parsed = /^\s*\{/.test(text) ? parseJson(text) : undefined;
  // Not every JSON text gives a value that is the same after another round trip: -0 is 0 then.
  const isSame =
    isPlainJson(parsed ?? null) && JSON.stringify(parsed) === JSON.stringify(structured);
  return parsed !== undefined && isSame ? "parsed" : undefined;
}

function makeCopy(copy: Copy, blocks: readonly unknown[]): unknown {
  const text = soleTextOf(blocks, RULES) ?? "";
  return copy === "parsed" ? JSON.parse(text) : Object.fromEntries([[copy.key, text]]);
}

function wrappingOf(result: JsonRecord, copy: Copy | undefined): McpWrapping | undefined {
  const names = Object.keys(result);
  const [content, structured] = ["content", "structuredContent"].map((key) => names.indexOf(key));
  const isBoth = content !== -1 && result["structuredContent"] !== undefined;
  const distance = (structured ?? 0) - (content ?? 0);
  const isInOrder = copy ? distance === 1 : Math.abs(distance) === 1;
  const keys = isBoth && !isInOrder ? names : undefined;
  return keys || copy ? { ...(keys ? { keys } : {}), ...(copy ? { copy } : {}) } : undefined;
}

function parseWrapping(wrapping: unknown): McpWrapping {
  return Array.isArray(wrapping) ? { keys: wrapping as readonly string[] } : asRecord(wrapping);
}

function inOrder(result: JsonRecord, keys: readonly string[] | undefined): JsonRecord {
  if (!keys) return result;
  const first = keys.filter((key) => Object.hasOwn(result, key));
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
