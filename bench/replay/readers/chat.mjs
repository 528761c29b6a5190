import { parseInput, textOfBlocks } from "./blocks.mjs";

/**
 * Messages of OpenAI's chat format, and SWE-agent's, which is near to it.
 *
 * @param {any[]} messages
 * @returns {import("../conversation.mjs").Item[]}
 */
export function readChat(messages) {
  return messages.map((message) => {
    const text = textOfBlocks(message.content);
    if (message.role === "tool") {
      const callId = message.tool_call_id ?? message.tool_call_ids?.[0] ?? "";
      return { role: "result", callId, toolName: message.name ?? "", text, isError: false };
    }
    if (message.role !== "assistant") return { role: "user", text };
    const calls = (message.tool_calls ?? []).map((/** @type {any} */ call) => ({
      id: call.id,
      name: call.function.name,
      input: parseInput(call.function.arguments),
    }));
    return { role: "assistant", text, calls };
  });
}
