import { anthropicFormat } from "./anthropic.js";
import { createLineFormat } from "./shared/json-lines.js";
import { asRecord, isRecord } from "./shared/json-record.js";

/** Every line of a session names its session, itself, or another line. */
const MARKS = ["sessionId", "session_id", "uuid", "leafUuid", "messageId"];

/** Known types of lines other than messages. */
const NOTES =
  /^(?:summary|system|progress|attachment|file-history-snapshot|queue-operation|last-prompt|(?:custom|ai)-title|mode|pr-link)$/;

/**
 * Claude Code session files: an Anthropic message in each line of type `user` or `assistant`. A reply
 * of several blocks is spread over as many lines. `toolUseResult` repeats a result for the program's
 * own use and is not sent to the model: it is kept and not counted.
 */
export const claudeCodeFormat = createLineFormat({
  name: "claude-code-jsonl",
  origin: "a Claude Code session",

  isLine(line) {
    const { type, message, systemPayload } = line;
    // Qwen Code has lines like these too.
    if (systemPayload !== undefined) return false;
    if (typeof type !== "string" || !MARKS.some((mark) => typeof line[mark] === "string")) {
      return false;
    }
    if (type !== "user" && type !== "assistant") return NOTES.test(type) || undefined;
    const { content } = asRecord(message);
    return typeof content === "string" || Array.isArray(content);
  },

  messageKey: ({ type, message }) =>
    (type === "user" || type === "assistant") && isRecord(message) ? "message" : undefined,

  messages: anthropicFormat,
  contentPath: (_message, slot) => (slot < 0 ? ["content"] : ["content", slot, "content"]),
});
