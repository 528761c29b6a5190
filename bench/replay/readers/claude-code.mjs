import { textOfBlocks, timeOf } from "./blocks.mjs";

/**
 * A Claude Code session. A reply is spread over several lines of one message id, between which the
 * results of its first calls may stand. Thinking is not sent again, so it does not count.
 *
 * @param {any[]} lines
 * @returns {import("../conversation.mjs").Item[][]}
 */
export function readClaudeCode(lines) {
  const isSubagent = !lines.some(({ type, isSidechain }) => type === "user" && !isSidechain);
  /** @type {import("../conversation.mjs").Item[]} */
  let items = [];
  const conversations = [items];
  /** @type {Map<string, import("../conversation.mjs").AssistantItem>} */
  let replies = new Map();
  for (const line of lines) {
    const { type, message, isSidechain, isCompactSummary, subtype, timestamp } = line;
    if (subtype === "compact_boundary" || (isCompactSummary && items.length > 0)) {
      items = [];
      conversations.push(items);
      replies = new Map();
    }
    if ((type !== "user" && type !== "assistant") || (isSidechain && !isSubagent)) continue;
    if (message.model === "<synthetic>") continue;
    const at = timeOf(timestamp);
    if (type === "user") items.push(...readUser(message.content, at));
    else {
      let reply = replies.get(message.id);
      if (!reply) {
        reply = { role: "assistant", text: "", calls: [], at };
        replies.set(message.id, reply);
        items.push(reply);
      }
      addBlocks(reply, message.content);
    }
  }
  return conversations;
}

/**
 * @param {unknown} content
 * @param {number | undefined} at
 * @returns {import("../conversation.mjs").Item[]}
 */
function readUser(content, at) {
  if (!Array.isArray(content)) return [{ role: "user", text: textOfBlocks(content), at }];
  return content.map((block) =>
    block.type === "tool_result"
      ? {
          role: "result",
          callId: block.tool_use_id,
          toolName: "",
          text: textOfBlocks(block.content),
          isError: block.is_error === true,
          at,
        }
      : { role: "user", text: textOfBlocks([block]), at },
  );
}

/**
 * @param {import("../conversation.mjs").AssistantItem} reply
 * @param {unknown} content
 */
function addBlocks(reply, content) {
  for (const block of Array.isArray(content) ? content : [{ type: "text", text: content }]) {
    if (block.type === "text") reply.text += (reply.text && "\n") + block.text;
    if (block.type === "tool_use") {
      reply.calls.push({ id: block.id, name: block.name, input: block.input });
    }
  }
}
