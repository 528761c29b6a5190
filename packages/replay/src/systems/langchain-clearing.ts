import type { Item } from "../conversation/conversation.js";
import type { ImportPeer } from "./import-peer.js";
import { createReplacer, once, type System } from "./system.js";

interface Message {
  readonly content: string;
}

interface LangChain {
  readonly ClearToolUsesEdit: new () => {
    apply(options: {
      messages: Message[];
      countTokens: (messages: readonly Message[]) => number;
    }): Promise<void>;
  };
  countTokensApproximately(messages: readonly Message[]): number;
}

type LangChainMessages = Readonly<
  Record<"AIMessage" | "HumanMessage" | "ToolMessage", new (fields: object) => Message>
>;

/**
 * LangChain's `ClearToolUsesEdit` with its defaults: once the conversation has 100,000 tokens, all
 * results but the last three are cleared. Nothing can be read back.
 */
export function langchainClearing(importPeer: ImportPeer): System {
  return {
    name: "LangChain clearing",
    async start() {
      const langchain = await importPeer<LangChain>("langchain");
      const types = await importPeer<LangChainMessages>("@langchain/core/messages");
      const replace = createReplacer();
      const convert = once((item: Item) => toMessage(item, types));
      const count = once((message: Message) => langchain.countTokensApproximately([message]));
      const countTokens = (messages: readonly Message[]) =>
        messages.reduce((sum, message) => sum + count(message), 0);
      return {
        overhead: "",
        async present(history) {
          const messages = history.map(convert);
          await new langchain.ClearToolUsesEdit().apply({ messages, countTokens });
          return history.map((item, index) =>
            item.role === "result" ? replace(item, messages[index]?.content ?? "") : item,
          );
        },
      };
    },
  };
}

function toMessage(
  item: Item,
  { AIMessage, HumanMessage, ToolMessage }: LangChainMessages,
): Message {
  const { text: content } = item;
  if (item.role === "user") return new HumanMessage({ content });
  if (item.role === "result") {
    return new ToolMessage({ content, tool_call_id: item.callId, name: item.toolName });
  }
  const tool_calls = item.calls.map(({ id, name, input }) => ({ id, name, args: input }));
  return new AIMessage({ content, tool_calls });
}
