import { pruneMessages } from "ai";

/**
 * The AI SDK's `pruneMessages` as its documentation shows it: calls and results before the last two
 * messages are removed. Nothing can be read back.
 *
 * @type {import("../replay.mjs").System}
 */
export const aiSdkPruning = {
  name: "AI SDK pruning",
  async start() {
    /** @type {WeakMap<object, any>} */
    const messages = new WeakMap();
    /** @type {WeakMap<object, import("../conversation.mjs").Item>} */
    const withoutCalls = new WeakMap();
    return {
      overhead: "",
      present(history) {
        for (const item of history) if (!messages.has(item)) messages.set(item, convert(item));
        const pruned = pruneMessages({
          messages: history.map((item) => messages.get(item)),
          toolCalls: "before-last-2-messages",
        });
        /** @type {Set<unknown>} */
        const kept = new Set();
        for (const { content } of pruned) for (const part of content) kept.add(part);
        return history.flatMap((item) => {
          const parts = messages.get(item).content;
          const left = parts.filter((/** @type {unknown} */ part) => kept.has(part));
          if (left.length === parts.length) return [item];
          if (left.length === 0 || item.role !== "assistant") return [];
          const bare = withoutCalls.get(item) ?? { ...item, calls: [] };
          withoutCalls.set(item, bare);
          return [bare];
        });
      },
    };
  },
};

/** @param {import("../conversation.mjs").Item} item */
function convert(item) {
  if (item.role === "user") return { role: "user", content: [{ type: "text", text: item.text }] };
  if (item.role === "result") {
    const { callId: toolCallId, toolName, text } = item;
    const output = { type: "text", value: text };
    return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
  }
  const calls = item.calls.map(({ id, name, input }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input,
  }));
  const text = item.text === "" ? [] : [{ type: "text", text: item.text }];
  return { role: "assistant", content: [...text, ...calls] };
}
