// Anthropic Messages, as far as an agent without streaming needs it: checks a request as the vendor
// does, and wraps the model's move as a response.

import { checkInputSchema } from "./json-schema.mjs";
import {
  allowOnly,
  readChoice,
  readList,
  readMatching,
  readObject,
  readString,
  Refusal,
  rejectRepeated,
} from "./request-checks.mjs";

/**
 * @typedef {import("./request-checks.mjs").JsonObject} JsonObject
 * @typedef {import("./script.mjs").ToolAnswer} ToolAnswer
 */

/** The fields that each kind of block may have; the API rejects others. */
const BLOCK_FIELDS = {
  text: ["type", "text", "citations", "cache_control"],
  image: ["type", "source", "cache_control"],
  document: ["type", "source", "title", "context", "citations", "cache_control"],
  search_result: ["type", "source", "title", "content", "citations", "cache_control"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  tool_use: ["type", "id", "name", "input", "caller", "cache_control"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control"],
};

/** @typedef {keyof typeof BLOCK_FIELDS} BlockType */

/** @type {Record<string, readonly BlockType[]>} */
const BLOCKS_OF = {
  user: ["text", "image", "document", "search_result", "tool_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use"],
  tool_result: ["text", "image", "document", "search_result"],
};

const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const CACHE_MARKS = 4;

/** @type {import("./server.mjs").VendorApi} */
export const anthropicMessages = {
  path: "/v1/messages",

  read(body) {
    readString(body["model"], "model");
    if (!Number.isInteger(body["max_tokens"]) || Number(body["max_tokens"]) < 1) {
      throw new Refusal("max_tokens: expected a whole number from 1", "max_tokens");
    }
    const toolNames = checkTools(body["tools"]);
    checkSystem(body["system"]);
    const messages = readList(body["messages"], "messages").map(readMessage);
    checkTurns(messages);
    checkPairs(messages);
    checkCacheMarks(body);
    return { toolNames, answers: listAnswers(messages) };
  },

  respond(move, { id, model, bytes }) {
    const content =
      "call" in move
        ? [{ type: "tool_use", id: `toolu_${id}`, name: move.call, input: move.input }]
        : [{ type: "text", text: move.say }];
    return {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model,
      content,
      stop_reason: "call" in move ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: { input_tokens: Math.ceil(bytes / 4), output_tokens: 20 },
    };
  },

  describeRefusal: ({ message }) => ({
    type: "error",
    error: { type: "invalid_request_error", message },
    request_id: null,
  }),
};

/** @param {unknown} tools @returns {string[]} */
function checkTools(tools) {
  if (tools === undefined) return [];
  const names = readList(tools, "tools").map((value, at) => {
    const path = `tools.${at}`;
    const tool = readObject(value, path);
    const known = ["type", "name", "description", "input_schema", "cache_control", "strict"];
    allowOnly(tool, path, known);
    if (tool["description"] !== undefined) readString(tool["description"], `${path}.description`);
    checkInputSchema(tool["input_schema"], `${path}.input_schema`);
    return readMatching(tool["name"], `${path}.name`, NAME);
  });
  rejectRepeated(names, "tools: names must be unique");
  return names;
}

/** @param {unknown} system */
function checkSystem(system) {
  if (system === undefined || typeof system === "string") return;
  for (const [at, block] of readList(system, "system").entries()) {
    readBlock(block, `system.${at}`, ["text"]);
  }
}

/**
 * @typedef {{ role: "user" | "assistant", content: Block[] }} Message
 * @typedef {JsonObject & { type: BlockType }} Block
 *
 * @param {unknown} value
 * @param {number} at
 * @returns {Message}
 */
function readMessage(value, at) {
  const path = `messages.${at}`;
  const message = readObject(value, path);
  allowOnly(message, path, ["role", "content"]);
  const role = readChoice(message["role"], `${path}.role`, ["user", "assistant"]);
  const content = readContent(message["content"], `${path}.content`, BLOCKS_OF[role] ?? []);
  if (content.length === 0) {
    throw new Refusal(`${path}: all messages must have non-empty content`, path);
  }
  return { role, content };
}

/** @param {unknown} content @param {string} path @param {readonly BlockType[]} types @returns {Block[]} */
function readContent(content, path, types) {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) throw new Refusal(`${path}: expected a string or an array`, path);
  return content.map((block, at) => readBlock(block, `${path}.${at}`, types));
}

/** @param {unknown} value @param {string} path @param {readonly BlockType[]} types @returns {Block} */
function readBlock(value, path, types) {
  const block = readObject(value, path);
  const type = readChoice(block["type"], `${path}.type`, types);
  allowOnly(block, path, BLOCK_FIELDS[type]);
  if (type === "text" && readString(block["text"], `${path}.text`).trim() === "") {
    throw new Refusal(`${path}: text content blocks must contain non-whitespace text`, path);
  }
  if (type === "image" || type === "document") checkSource(block["source"], `${path}.source`);
  if (type === "tool_use") {
    readMatching(block["id"], `${path}.id`, ID);
    readMatching(block["name"], `${path}.name`, NAME);
    readObject(block["input"], `${path}.input`);
  }
  if (type === "tool_result") checkResult(block, path);
  return { ...block, type };
}

/** @param {JsonObject} block @param {string} path */
function checkResult({ tool_use_id, content, is_error }, path) {
  readMatching(tool_use_id, `${path}.tool_use_id`, ID);
  if (is_error !== undefined && typeof is_error !== "boolean") {
    throw new Refusal(`${path}.is_error: expected a boolean`, path);
  }
  if (content === undefined) return;
  const blocks = readContent(content, `${path}.content`, BLOCKS_OF["tool_result"] ?? []);
  if (is_error === true && blocks.some(({ type }) => type !== "text")) {
    throw new Refusal(`${path}: all content must be type "text" if is_error is true`, path);
  }
}

/** @param {unknown} value @param {string} path */
function checkSource(value, path) {
  const source = readObject(value, path);
  const type = readChoice(source["type"], `${path}.type`, ["base64", "url", "text", "file"]);
  if (type === "base64") {
    readMatching(source["media_type"], `${path}.media_type`, /^(image\/|application\/pdf)/);
    readMatching(source["data"], `${path}.data`, /^[A-Za-z0-9+/]+={0,2}$/);
  }
  if (type === "url") readMatching(source["url"], `${path}.url`, /^https?:/);
}

/** The API treats adjacent messages of one role as one turn, so only the first and last can be wrong. */
function checkTurns(/** @type {readonly Message[]} */ messages) {
  if (messages[0]?.role !== "user") {
    throw new Refusal('messages: first message must use the "user" role', "messages");
  }
  if (messages.at(-1)?.role !== "user") {
    throw new Refusal("messages: the conversation must end with a user message", "messages");
  }
}

/** Every call has its result at the start of the next message, and there are no other results. */
function checkPairs(/** @type {readonly Message[]} */ messages) {
  const calls = messages.map(({ content }) => idsOf(content, "tool_use", "id"));
  rejectRepeated(calls.flat(), "messages: `tool_use` ids must be unique");
  for (const [at, { content }] of messages.entries()) {
    const path = `messages.${at}`;
    const results = idsOf(content, "tool_result", "tool_use_id");
    const called = calls[at - 1] ?? [];
    const orphan = results.find((id) => !called.includes(id));
    if (orphan !== undefined) {
      const why = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}`;
      const rule = "Each `tool_result` block must have a corresponding `tool_use` block";
      throw new Refusal(`${path}: ${why}. ${rule} in the previous message.`, path);
    }
    rejectRepeated(results, `${path}: each tool_use must have a single result`);
    const missing = called.filter((id) => !results.includes(id));
    if (missing.length > 0) {
      const why = "`tool_use` ids were found without `tool_result` blocks immediately after";
      throw new Refusal(`messages.${at - 1}: ${why}: ${missing.join(", ")}.`, path);
    }
    if (content.slice(0, results.length).some(({ type }) => type !== "tool_result")) {
      throw new Refusal(`${path}: \`tool_result\` blocks must come first`, path);
    }
  }
}

/** @param {readonly Block[]} content @param {BlockType} type @param {string} field */
function idsOf(content, type, field) {
  return content.filter((block) => block.type === type).map((block) => String(block[field]));
}

/** @param {unknown} body */
function checkCacheMarks(body) {
  let count = 0;
  JSON.stringify(body, (key, value) => {
    // The input of a call is the model's and not checked by the API.
    if (key === "input" || key === "input_schema") return undefined;
    if (key === "cache_control" && value !== null) {
      readChoice(readObject(value, key)["type"], "cache_control.type", ["ephemeral"]);
      count += 1;
    }
    return value;
  });
  if (count <= CACHE_MARKS) return;
  const why = `A maximum of ${CACHE_MARKS} blocks with cache_control may be provided`;
  throw new Refusal(`${why}. Found ${count}.`, "messages");
}

/** @param {readonly Message[]} messages @returns {ToolAnswer[]} */
function listAnswers(messages) {
  const blocks = messages.flatMap(({ content }) => content);
  const names = new Map(blocks.map(({ id, name }) => [id, String(name)]));
  return blocks
    .filter(({ type }) => type === "tool_result")
    .map(({ tool_use_id, content }) => ({
      tool: names.get(tool_use_id) ?? "",
      text: typeof content === "string" ? content : JSON.stringify(content ?? ""),
    }));
}
