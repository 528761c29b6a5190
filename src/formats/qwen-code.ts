import { geminiFormat } from "./gemini.js";
import { createLineFormat } from "./shared/json-lines.js";
import { asRecord, isRecord } from "./shared/json-record.js";

const TYPES: readonly unknown[] = ["user", "assistant", "tool_result"];

/**
 * Chats of Qwen Code: a message of the Gemini API in each line of type `user`, `assistant` or
 * `tool_result`. `toolCallResult` repeats a result for the screen and is kept.
 */
export const qwenCodeFormat = createLineFormat({
  name: "qwen-code-jsonl",
  origin: "a Qwen Code chat",

  isLine({ type, sessionId, uuid, message, systemPayload }) {
    if (typeof sessionId !== "string" || typeof uuid !== "string") return false;
    if (TYPES.includes(type)) return Array.isArray(asRecord(message)["parts"]);
    if (type !== "system") return undefined;
    // Claude Code has notes of this type too.
    return systemPayload !== undefined || undefined;
  },

  messageKey: ({ type, message }) =>
    TYPES.includes(type) && isRecord(message) ? "message" : undefined,

  messages: geminiFormat,
});
