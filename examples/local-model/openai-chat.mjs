// OpenAI Chat Completions, as far as an agent without streaming needs it: checks a request as the
// vendor does, and wraps the model's move as a response.

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

/** The fields of each role's messages, and the parts that their content may have. */
const ROLES = {
  system: { fields: ["content", "name"], parts: ["text"] },
  developer: { fields: ["content", "name"], parts: ["text"] },
  user: { fields: ["content", "name"], parts: ["text", "image_url", "input_audio", "file"] },
  assistant: {
    fields: ["content", "name", "refusal", "audio", "tool_calls", "annotations"],
    parts: ["text", "refusal"],
  },
  // The name is undocumented, but clients send it and the API accepts it.
  tool: { fields: ["content", "tool_call_id", "name"], parts: ["text"] },
};

/** @typedef {keyof typeof ROLES} Role */

const ROLE_NAMES = /** @type {Role[]} */ (Object.keys(ROLES));
const CALL_ID = /^[^]{1,40}$/;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** @type {import("./server.mjs").VendorApi} */
export const openaiChat = {
  path: "/v1/chat/completions",

  read(body) {
    readString(body["model"], "model");
    const toolNames = checkTools(body["tools"]);
    const messages = readList(body["messages"], "messages").map(readMessage);
    checkPairs(messages);
    return { toolNames, answers: listAnswers(messages) };
  },

  respond(move, { id, model, bytes }) {
    const prompt_tokens = Math.ceil(bytes / 4);
    const call = "call" in move && {
      id: `call_${id}`,
      type: "function",
      function: { name: move.call, arguments: JSON.stringify(move.input) },
    };
    const message = {
      role: "assistant",
      content: "say" in move ? move.say : null,
      refusal: null,
      ...(call ? { tool_calls: [call] } : {}),
    };
    const finish_reason = call ? "tool_calls" : "stop";
    return {
      id: `chatcmpl-${id}`,
      object: "chat.completion",
      created: 0,
      model,
      choices: [{ index: 0, message, logprobs: null, finish_reason }],
      usage: { prompt_tokens, completion_tokens: 20, total_tokens: prompt_tokens + 20 },
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
    allowOnly(tool, path, ["type", "function"]);
    readChoice(tool["type"], `${path}.type`, ["function"]);
    const described = readObject(tool["function"], `${path}.function`);
    allowOnly(described, `${path}.function`, ["name", "description", "parameters", "strict"]);
    const { name, description, parameters, strict } = described;
    if (description !== undefined) readString(description, `${path}.function.description`);
    if (parameters !== undefined) {
      const schema = checkInputSchema(parameters, `${path}.function.parameters`);
      if (strict === true) checkStrictSchema(schema, `${path}.function.parameters`);
    }
    return readMatching(name, `${path}.function.name`, NAME);
  });
  rejectRepeated(names, "tools: names must be unique");
  return names;
}

/**
 * @typedef {object} Message
 * @property {Role} role
 * @property {unknown} content
 * @property {{ id: string, name: string }[]} calls
 * @property {string} answers The id of the call that a tool's message answers.
 *
 * @param {unknown} value
 * @param {number} at
 * @returns {Message}
 */
function readMessage(value, at) {
  const path = `messages[${at}]`;
  const message = readObject(value, path);
  const role = readChoice(message["role"], `${path}.role`, ROLE_NAMES);
  const { fields, parts } = ROLES[role];
  allowOnly(message, path, ["role", ...fields]);
  const { content, tool_calls, tool_call_id, refusal } = message;
  const calls =
    tool_calls === undefined
      ? []
      : readList(tool_calls, `${path}.tool_calls`).map((call, nth) =>
          readCall(call, `${path}.tool_calls[${nth}]`),
        );
  const mayBeSilent = role === "assistant" && (calls.length > 0 || typeof refusal === "string");
  if (content === null || content === undefined) {
    if (!mayBeSilent) throw new Refusal(`${path}.content: expected a string, got null`, path);
  } else if (typeof content !== "string") {
    for (const [nth, part] of readList(content, `${path}.content`).entries()) {
      checkPart(part, `${path}.content[${nth}]`, parts);
    }
  }
  const answers = role === "tool" ? readString(tool_call_id, `${path}.tool_call_id`) : "";
  return { role, content, calls, answers };
}

/** @param {unknown} value @param {string} path */
function readCall(value, path) {
  const call = readObject(value, path);
  allowOnly(call, path, ["id", "type", "function"]);
  readChoice(call["type"], `${path}.type`, ["function"]);
  const called = readObject(call["function"], `${path}.function`);
  allowOnly(called, `${path}.function`, ["name", "arguments"]);
  readString(called["arguments"], `${path}.function.arguments`);
  return {
    id: readMatching(call["id"], `${path}.id`, CALL_ID),
    name: readMatching(called["name"], `${path}.function.name`, NAME),
  };
}

/** @param {unknown} value @param {string} path @param {readonly string[]} types */
function checkPart(value, path, types) {
  const part = readObject(value, path);
  const type = readChoice(part["type"], `${path}.type`, types);
  // The key of a part's payload is the name of its type.
  allowOnly(part, path, ["type", type]);
  if (type === "text" || type === "refusal") readString(part[type], `${path}.${type}`);
  else readObject(part[type], `${path}.${type}`);
  if (type === "image_url") {
    const { url } = readObject(part[type], `${path}.${type}`);
    readMatching(url, `${path}.image_url.url`, /^(https?:|data:image\/)/);
  }
}

/** Every call is answered by a tool message right after it, and every tool message answers a call. */
function checkPairs(/** @type {readonly Message[]} */ messages) {
  /** @type {Set<string>} */
  let called = new Set();
  /** @type {Set<string>} */
  let open = new Set();
  for (const [at, { role, calls, answers }] of messages.entries()) {
    const path = `messages[${at}]`;
    if (role === "tool") {
      if (called.size === 0) {
        const rule = "must be a response to a preceding message with 'tool_calls'";
        throw new Refusal(`Invalid parameter: messages with role 'tool' ${rule}.`, `${path}.role`);
      }
      if (!open.delete(answers)) {
        const why = called.has(answers) ? "was answered before" : "not found in 'tool_calls'";
        const id = `'tool_call_id' of '${answers}'`;
        throw new Refusal(`Invalid parameter: ${id} ${why} of previous message.`, path);
      }
      continue;
    }
    rejectOpen(open, path);
    called = new Set(calls.map(({ id }) => id));
    open = new Set(called);
  }
  rejectOpen(open, "messages");
}

/** @param {ReadonlySet<string>} open @param {string} path */
function rejectOpen(open, path) {
  if (open.size === 0) return;
  const rule =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'";
  const missing = "The following tool_call_ids did not have response messages";
  throw new Refusal(`${rule}. ${missing}: ${[...open].join(", ")}`, path);
}

/** @param {readonly Message[]} messages @returns {ToolAnswer[]} */
function listAnswers(messages) {
  const calls = messages.flatMap((message) => message.calls);
  const names = new Map(calls.map(({ id, name }) => [id, name]));
  return messages
    .filter(({ role }) => role === "tool")
    .map(({ answers, content }) => ({
      tool: names.get(answers) ?? "",
      text: typeof content === "string" ? content : JSON.stringify(content),
    }));
}
