import {
  countContentChars,
  type Content,
  type Format,
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
    const blocks = asList(content);
    const soleText = soleTextOf(blocks, RULES);
    const isTwice = structuredContent !== undefined;
    const copy =
      isTwice && soleText !== undefined ? copyOf(structuredContent, soleText) : undefined;
    const isOnce = !isTwice || copy !== undefined;
    const isText = isOnce && isBareText(blocks);
    const wrapping = wrappingOf(result, copy, isText);
    const chars = countOffloaded(blocks, RULES, media);
    visitor.result({
      slot: 0,
      id,
      content: isText ? (soleText as string) : isOnce ? (content as Content) : bothOf(result),
      soleText: isOnce ? soleText : undefined,
      chars: isText
        ? (soleText as string).length
        : isOnce
          ? chars
          : chars + countContentChars(structuredContent as Content),
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
    const { content: stored, wrapping } = change;
    const { keys, copy, isText } = parseWrapping(wrapping);
    const content = isText && typeof stored === "string" ? [textBlock(stored)] : stored;
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

/** What is stored: both, in their order. */
function bothOf(result: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(result).filter(([key]) => isPayload(key)));
}

/** How a value repeats the text: as it is, parsed from it, or as the list of its lines. */
type Repeat = "text" | "parsed" | "lines";

/**
 * How structured content repeats the text: all of it, or under one of its keys, with the small fields beside
 * it. Earlier versions wrote `"parsed"`, or a key without a repeat for the text alone.
 */
type Copy =
  "parsed" | { readonly key: string; readonly repeat?: Repeat; readonly beside?: JsonRecord };

/** What is kept beside the stored content. Earlier versions kept the keys alone. */
interface McpWrapping {
  /** All keys in order, if restoring the two next to each other would change the order. */
  readonly keys?: readonly string[] | undefined;
  /** There if only the text was stored. */
  readonly copy?: Copy | undefined;
  /** There if the text was stored without its block, so that its size and its lines are those of the text. */
  readonly isText?: true | undefined;
}

/** Fields beside the text that take more than this are stored with it. */
const MAX_BESIDE_CHARS = 1_000;

/** How structured content can be made from the text; `undefined` if it cannot. */
function copyOf(structured: unknown, text: string): Copy | undefined {
  const parsed = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  // Not every JSON text gives a value that is the same after another round trip: -0 is 0 then.
  const json = parsed !== undefined && isPlainJson(parsed) ? JSON.stringify(parsed) : undefined;
  const repeatOf = (value: unknown): Repeat | undefined => {
    if (value === text) return "text";
    if (typeof value !== "object" || value === null) return undefined;
    if (json !== undefined && JSON.stringify(value) === json) return "parsed";
    return isLinesOf(value, text) ? "lines" : undefined;
  };
  if (!isRecord(structured)) return undefined;
  if (repeatOf(structured) === "parsed") return "parsed";
  for (const [key, value] of Object.entries(structured)) {
    const repeat = repeatOf(value);
    if (repeat === undefined) continue;
    // `null` keeps the place of the key.
    const beside = { ...structured, [key]: null };
    const isAlone = Object.keys(beside).length === 1;
    if (!isAlone && JSON.stringify(beside).length > MAX_BESIDE_CHARS) return undefined;
    return {
      key,
      ...(repeat === "text" ? {} : { repeat }),
      ...(isAlone ? {} : { beside }),
    };
  }
  return undefined;
}

function isLinesOf(value: object, text: string): boolean {
  if (!Array.isArray(value) || !value.every((line) => typeof line === "string")) return false;
  const lines = text.split("\n");
  return lines.length === value.length && lines.every((line, index) => line === value[index]);
}

function makeCopy(copy: Copy, blocks: readonly unknown[]): unknown {
  const text = soleTextOf(blocks, RULES) ?? "";
  if (copy === "parsed") return JSON.parse(text);
  const { key, repeat = "text", beside = {} } = copy;
  const value: unknown =
    repeat === "text" ? text : repeat === "parsed" ? JSON.parse(text) : text.split("\n");
  // By entries, since a key may be `__proto__`.
  const entries = Object.hasOwn(beside, key) ? Object.entries(beside) : [[key, value] as const];
  return Object.fromEntries(entries.map(([name, held]) => [name, name === key ? value : held]));
}

/** One block of text and nothing else about it. */
function isBareText(blocks: readonly unknown[]): boolean {
  const [block] = blocks;
  const names = Object.keys(asRecord(block)).join();
  return blocks.length === 1 && names === "type,text" && soleTextOf(blocks, RULES) !== undefined;
}

function textBlock(text: string): JsonRecord {
  return { type: RULES.textType, text };
}

function wrappingOf(
  result: JsonRecord,
  copy: Copy | undefined,
  isText: boolean,
): McpWrapping | undefined {
  const names = Object.keys(result);
  const [content, structured] = ["content", "structuredContent"].map((key) => names.indexOf(key));
  const isBoth = content !== -1 && result["structuredContent"] !== undefined;
  const distance = (structured ?? 0) - (content ?? 0);
  const isInOrder = copy ? distance === 1 : Math.abs(distance) === 1;
  const keys = isBoth && !isInOrder ? names : undefined;
  if (!keys && !copy && !isText) return undefined;
  return { ...(keys ? { keys } : {}), ...(copy ? { copy } : {}), ...(isText ? { isText } : {}) };
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
