import { textOfBlocks, timeOf } from "./blocks.mjs";

/**
 * A pi session: a message in each line of type `message`.
 *
 * @param {any[]} lines
 * @returns {import("../conversation.mjs").Item[][]}
 */
export function readPi(lines) {
  /** @type {import("../conversation.mjs").Item[]} */
  let items = [];
  const conversations = [items];
  for (const { type, message, summary, timestamp } of lines) {
    const at = timeOf(timestamp);
    if (type === "compaction") {
      items = [{ role: "user", text: String(summary), at }];
      conversations.push(items);
    }
    if (type === "message") items.push(readMessage(message, at));
  }
  return conversations;
}

/**
 * @param {any} message
 * @param {number | undefined} at
 * @returns {import("../conversation.mjs").Item}
 */
function readMessage({ role, content, toolCallId, toolName, isError, stopReason }, at) {
  const text = textOfBlocks(content);
  if (role === "toolResult") {
    return { role: "result", callId: toolCallId, toolName, text, isError: isError === true, at };
  }
  if (role !== "assistant") return { role: "user", text, at };
  // The calls of a reply that was cut off are never run.
  const isCutOff = stopReason === "aborted" || stopReason === "error";
  const blocks = isCutOff || !Array.isArray(content) ? [] : content;
  const calls = blocks
    .filter(({ type }) => type === "toolCall")
    .map(({ id, name, arguments: input }) => ({ id, name, input }));
  return { role: "assistant", text, calls, at };
}
