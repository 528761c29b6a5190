// OpenAI Responses, as far as an agent without streaming needs it: checks a request as the vendor
// does, and wraps the model's move as a response.

import { checkInputSchema, checkStrictSchema } from "./json-schema.mjs";
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

/** The fields that each kind of item may have. */
const ITEM_FIELDS = {
  message: ["type", "role", "content", "id", "status", "phase"],
  function_call: ["type", "call_id", "name", "arguments", "id", "status"],
  function_call_output: ["type", "call_id", "output", "id", "status"],
  custom_tool_call: ["type", "call_id", "name", "input", "id", "status"],
  custom_tool_call_output: ["type", "call_id", "output", "id"],
  reasoning: ["type", "id", "summary", "content", "encrypted_content", "status"],
};

/** @typedef {keyof typeof ITEM_FIELDS} ItemType */

const ITEM_TYPES = /** @type {ItemType[]} */ (Object.keys(ITEM_FIELDS));
const INPUT_PARTS = ["input_text", "input_image", "input_file"];
const OUTPUT_PARTS = ["output_text", "refusal"];
const CALL_ID = /^[^]{1,64}$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** @type {import("./server.mjs").VendorApi} */
export const openaiResponses = {
  path: "/v1/responses",

  read(body) {
    readString(body["model"], "model");
    const toolNames = checkTools(body["tools"]);
    const { input } = body;
    if (typeof input === "string") return { toolNames, answers: [] };
    const items = readList(input, "input").map(readItem);
    checkPairs(items);
    checkReasoning(items);
    return { toolNames, answers: listAnswers(items) };
  },

  respond(move, { id, model, bytes }) {
    const output =
      "call" in move
        ? [
            { id: `rs_${id}`, type: "reasoning", summary: [] },
            {
              id: `fc_${id}`,
              type: "function_call",
              status: "completed",
              call_id: `call_${id}`,
              name: move.call,
              arguments: JSON.stringify(move.input),
            },
          ]
        : [
            {
              id: `msg_${id}`,
              type: "message",
              status: "completed",
              role: "assistant",
              content: [{ type: "output_text", text: move.say, annotations: [] }],
            },
          ];
    const input_tokens = Math.ceil(bytes / 4);
    return {
      id: `resp_${id}`,
      object: "response",
      created_at: 0,
      status: "completed",
      model,
      output,
      error: null,
      incomplete_details: null,
      usage: { input_tokens, output_tokens: 20, total_tokens: input_tokens + 20 },
    };
  },

  describeRefusal: ({ message, path }) => ({
    error: { message, type: "invalid_request_error", param: path, code: null },
  }),
};

/** @param {unknown} tools @returns {string[]} */
function checkTools(tools) {
  if (tools === undefined) return [];
  const names = readList(tools, "tools").map((value, at) => {
    const path = `tools[${at}]`;
    const tool = readObject(value, path);
    allowOnly(tool, path, ["type", "name", "description", "parameters", "strict"]);
    readChoice(tool["type"], `${path}.type`, ["function"]);
    const { name, description, parameters, strict } = tool;
    if (description !== undefined) readString(description, `${path}.description`);
    const schema = checkInputSchema(parameters, `${path}.parameters`);
    // Here, unlike in Chat Completions, a function is strict unless it says that it is not.
    if (strict !== false) checkStrictSchema(schema, `${path}.parameters`);
    return readMatching(name, `${path}.name`, NAME);
  });
  rejectRepeated(names, "tools: names must be unique");
  return names;
}

/**
 * @typedef {JsonObject & { type: ItemType }} Item
 *
 * @param {unknown} value
 * @param {number} at
 * @returns {Item}
 */
function readItem(value, at) {
  const path = `input[${at}]`;
  const item = readObject(value, path);
  const type = readChoice(item["type"] ?? "message", `${path}.type`, ITEM_TYPES);
  allowOnly(item, path, ITEM_FIELDS[type]);
  if (type === "message") checkMessage(item, path);
  else if (type !== "reasoning") readMatching(item["call_id"], `${path}.call_id`, CALL_ID);
  switch (type) {
    case "function_call":
      if (item["id"] !== undefined) readMatching(item["id"], `${path}.id`, /^fc/);
      readMatching(item["name"], `${path}.name`, NAME);
      readString(item["arguments"], `${path}.arguments`);
      break;
    case "custom_tool_call":
      readMatching(item["name"], `${path}.name`, NAME);
      readString(item["input"], `${path}.input`);
      break;
    case "function_call_output":
    case "custom_tool_call_output":
      checkContent(item["output"], `${path}.output`, INPUT_PARTS);
      break;
    default:
  }
  return { ...item, type };
}

/** @param {JsonObject} item @param {string} path */
function checkMessage(item, path) {
  const roles = /** @type {const} */ (["user", "system", "developer", "assistant"]);
  const role = readChoice(item["role"], `${path}.role`, roles);
  const parts = role === "assistant" ? OUTPUT_PARTS : INPUT_PARTS;
  checkContent(item["content"], `${path}.content`, parts);
}

/** @param {unknown} content @param {string} path @param {readonly string[]} types */
function checkContent(content, path, types) {
  if (typeof content === "string") return;
  for (const [nth, value] of readList(content, path).entries()) {
    const part = readObject(value, `${path}[${nth}]`);
    const type = readChoice(part["type"], `${path}[${nth}].type`, types);
    if (type === "refusal") readString(part["refusal"], `${path}[${nth}].refusal`);
    if (type.endsWith("_text")) readString(part["text"], `${path}[${nth}].text`);
    if (type === "input_image" && part["file_id"] === undefined) {
      readMatching(part["image_url"], `${path}[${nth}].image_url`, /^(https?:|data:image\/)/);
    }
  }
}

/** Every call has its output after it, and every output its call before it. */
function checkPairs(/** @type {readonly Item[]} */ items) {
  /** @type {Map<string, { path: string, kind: string }>} */
  const open = new Map();
  for (const [at, { type, call_id }] of items.entries()) {
    const id = String(call_id);
    const path = `input[${at}]`;
    const kind = type.startsWith("custom") ? "custom tool call" : "function call";
    if (type.endsWith("_call")) open.set(id, { path, kind });
    if (!type.endsWith("_output")) continue;
    if (open.get(id)?.kind !== kind) {
      const why = `No tool call found for ${kind} output with call_id ${id}.`;
      throw new Refusal(why, `${path}.call_id`);
    }
    open.delete(id);
  }
  for (const [id, { path, kind }] of open) {
    throw new Refusal(`No tool output found for ${kind} ${id}.`, path);
  }
}

/** A call of a reasoning model, which has an id, is refused without the reasoning that it came with. */
function checkReasoning(/** @type {readonly Item[]} */ items) {
  const reasoned = new Set(items.flatMap(({ type, id }) => (type === "reasoning" ? [id] : [])));
  for (const [at, { type, id }] of items.entries()) {
    if (type !== "function_call" || id === undefined) continue;
    const needed = String(id).replace(/^fc/, "rs");
    if (reasoned.has(needed)) continue;
    const why = `Item '${id}' of type 'function_call' was provided without its required 'reasoning' item: '${needed}'.`;
    throw new Refusal(why, `input[${at}]`);
  }
}

/** @param {readonly Item[]} items @returns {ToolAnswer[]} */
function listAnswers(items) {
  const calls = items.filter(({ type }) => type.endsWith("_call"));
  const names = new Map(calls.map(({ call_id, name }) => [call_id, name]));
  return items
    .filter(({ type }) => type.endsWith("_output"))
    .map(({ call_id, output }) => ({
      tool: String(names.get(call_id)),
      text: typeof output === "string" ? output : JSON.stringify(output),
    }));
}
