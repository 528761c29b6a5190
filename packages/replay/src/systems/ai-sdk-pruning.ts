import type { AssistantItem, Item } from "../conversation/conversation.js";
import type { ImportPeer } from "./import-peer.js";
import { once, type System } from "./system.js";

interface ModelMessage {
  readonly role: string;
  readonly content: readonly object[];
}

interface AiSdk {
  readonly pruneMessages: (options: {
    messages: readonly ModelMessage[];
    toolCalls: string;
  }) => readonly ModelMessage[];
}

/**
 * The AI SDK's `pruneMessages` as its documentation shows it: calls and results before the last two
 * messages are removed. Nothing can be read back.
 */
export function aiSdkPruning(importPeer: ImportPeer): System {
  return {
    name: "AI SDK pruning",
    async start() {
      const { pruneMessages } = await importPeer<AiSdk>("ai");
      const convert = once(toMessage);
      const withoutCalls = once((item: AssistantItem): Item => ({ ...item, calls: [] }));
      return {
        overhead: "",
        present(history) {
          const messages = groupResults(history.map(convert));
          const pruned = pruneMessages({ messages, toolCalls: "before-last-2-messages" });
          const kept = new Set(pruned.flatMap(({ content }) => content));
          return history.flatMap((item) => {
            const parts = convert(item).content;
            const left = parts.filter((part) => kept.has(part));
            if (left.length === parts.length) return [item];
            return left.length === 0 || item.role !== "assistant" ? [] : [withoutCalls(item)];
          });
        },
      };
    },
  };
}

/** Results that arrived together are one message, as the AI SDK has them. */
function groupResults(messages: readonly ModelMessage[]): ModelMessage[] {
  const grouped: ModelMessage[] = [];
  for (const message of messages) {
    const last = grouped.at(-1);
    if (message.role === "tool" && last?.role === "tool") {
      grouped[grouped.length - 1] = { ...last, content: [...last.content, ...message.content] };
    } else grouped.push(message);
  }
  return grouped;
}

function toMessage(item: Item): ModelMessage {
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
