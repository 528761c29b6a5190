import { anthropicFormat } from "./anthropic.js";
import { createLineFormat } from "./shared/json-lines.js";
import { asList, asRecord, isRecord } from "./shared/json-record.js";

/** Known types of lines other than messages. */
const NOTES = /^(?:session_(?:start|end)|todo_state|compaction_state|agent_turn_outcome)$/;

/** Factory Droid session files: an Anthropic message in each line of type `message`. */
export const factoryDroidFormat = createLineFormat({
  name: "factory-droid-jsonl",
  origin: "a Factory Droid session",

  isLine({ type, message }) {
    if (type !== "message") return typeof type === "string" && NOTES.test(type);
    const { role, content } = asRecord(message);
    if (role !== "user" && role !== "assistant") return false;
    // pi records other blocks in lines of the same type.
    const types = asList(content).map((block) => asRecord(block)["type"]);
    if (types.includes("tool_use") || types.includes("tool_result")) return true;
    return types.includes("toolCall") ? false : undefined;
  },

  messageKey: ({ type, message }) =>
    type === "message" && isRecord(message) ? "message" : undefined,

  messages: anthropicFormat,
  contentPath: (_message, slot) => (slot < 0 ? ["content"] : ["content", slot, "content"]),
});
