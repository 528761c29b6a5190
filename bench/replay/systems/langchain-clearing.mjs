import { importPeer } from "../../peers.mjs";
import { createReplacer } from "./replaced-text.mjs";

/**
 * LangChain's `ClearToolUsesEdit` with its defaults: once the conversation has 100,000 tokens, all
 * results but the last three are cleared. Nothing can be read back.
 *
 * @type {import("../replay.mjs").System}
 */
export const langchainClearing = {
  name: "LangChain clearing",
  async start() {
    const { ClearToolUsesEdit, countTokensApproximately } = await importPeer("langchain");
    const { AIMessage, HumanMessage, ToolMessage } = await importPeer("@langchain/core/messages");
    const replace = createReplacer();
    /** @type {WeakMap<object, number>} */
    const counted = new WeakMap();
    /** @type {WeakMap<object, any>} */
    const converted = new WeakMap();

    /** @param {import("../conversation.mjs").Item} item */
    function convert(item) {
      const known = converted.get(item);
      if (known) return known;
      const made = make(item);
      converted.set(item, made);
      return made;
    }

    /** @param {import("../conversation.mjs").Item} item */
    function make(item) {
      if (item.role === "user") return new HumanMessage(item.text);
      if (item.role === "result") {
        return new ToolMessage({
          content: item.text,
          tool_call_id: item.callId,
          name: item.toolName,
        });
      }
      const tool_calls = item.calls.map(({ id, name, input }) => ({ id, name, args: input }));
      return new AIMessage({ content: item.text, tool_calls });
    }

    /** @param {any[]} messages */
    function countTokens(messages) {
      let tokens = 0;
      for (const message of messages) {
        const size = counted.get(message) ?? countTokensApproximately([message]);
        counted.set(message, size);
        tokens += size;
      }
      return tokens;
    }

    return {
      overhead: "",
      async present(history) {
        const messages = history.map(convert);
        await new ClearToolUsesEdit().apply({ messages, countTokens });
        return history.map((item, index) =>
          item.role === "result" ? replace(item, messages[index].content) : item,
        );
      },
    };
  },
};
