import { parseInput, textOfBlocks, timeOf } from "./blocks.mjs";

/**
 * A Codex rollout: items of the Responses API. Items of the model that follow one another are one
 * reply; a compaction brings its own history.
 *
 * @param {any[]} lines
 * @returns {import("../conversation.mjs").Item[][]}
 */
export function readCodex(lines) {
  /** @type {import("../conversation.mjs").Item[]} */
  let items = [];
  const conversations = [items];
  for (const { type, payload, timestamp } of lines) {
    const at = timeOf(timestamp);
    if (type === "compacted") {
      items = [];
      conversations.push(items);
      const history = payload.replacement_history ?? [userMessage(payload.message)];
      for (const item of history) addItem(items, item, at);
    }
    if (type === "response_item") addItem(items, payload, at);
  }
  return conversations;
}

/** @param {string} content */
function userMessage(content) {
  return { type: "message", role: "user", content };
}

/**
 * @param {import("../conversation.mjs").Item[]} items
 * @param {any} item
 * @param {number | undefined} at
 */
function addItem(items, item, at) {
  if (item.type === "message" && item.role !== "assistant") {
    items.push({ role: "user", text: textOfBlocks(item.content), at });
  } else if (item.type === "message") {
    const reply = lastReply(items, at);
    reply.text += (reply.text && "\n") + textOfBlocks(item.content);
  } else if (item.type === "function_call" || item.type === "custom_tool_call") {
    const input = parseInput(item.arguments ?? item.input);
    lastReply(items, at).calls.push({ id: item.call_id, name: item.name, input });
  } else if (/_call_output$/.test(item.type)) {
    const content = item.output?.content ?? item.output;
    items.push({
      role: "result",
      callId: item.call_id,
      toolName: "",
      text: textOfBlocks(content),
      isError: item.output?.success === false,
      at,
    });
  }
}

/**
 * @param {import("../conversation.mjs").Item[]} items
 * @param {number | undefined} at
 */
function lastReply(items, at) {
  const last = items.at(-1);
  if (last?.role === "assistant") return last;
  /** @type {import("../conversation.mjs").AssistantItem} */
  const reply = { role: "assistant", text: "", calls: [], at };
  items.push(reply);
  return reply;
}
