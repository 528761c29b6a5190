import { textOfBlocks } from "./blocks.mjs";

/**
 * Messages of Anthropic's API, as an application records them.
 *
 * @param {any[]} messages
 * @returns {import("../conversation.mjs").Item[] | undefined} `undefined` if they have no blocks of its tools
 */
export function readAnthropic(messages) {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  if (!blocks.some(({ type }) => type === "tool_use" || type === "tool_result")) return undefined;
  return messages.flatMap(itemsOf);
}

/**
 * @param {any} message
 * @returns {import("../conversation.mjs").Item[]}
 */
function itemsOf({ role, content }) {
  const parts = Array.isArray(content) ? content : [{ type: "text", text: content }];
  const text = textOfBlocks(parts.filter(({ type }) => type === "text"));
  if (role === "assistant") {
    const calls = parts.filter(({ type }) => type === "tool_use");
    return [{ role, text, calls: calls.map(({ id, name, input }) => ({ id, name, input })) }];
  }
  const results = parts.filter(({ type }) => type === "tool_result");
  return [
    ...results.map((block) => ({
      ...{ role: /** @type {const} */ ("result"), callId: block.tool_use_id, toolName: "" },
      ...{ text: textOfBlocks(block.content), isError: block.is_error === true },
    })),
    ...(text === "" ? [] : [{ role: /** @type {const} */ ("user"), text }]),
  ];
}
