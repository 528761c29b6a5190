import type { Format } from "../core/engine/format.js";
import { anthropicFormat } from "./anthropic.js";
import { asRecord, type JsonRecord } from "./shared/json-record.js";
import { createLineFormat, EMPTY_READING } from "./shared/json-lines.js";

/** Every line of a session names its session, itself, or another line. */
const MARKS = ["sessionId", "session_id", "uuid", "leafUuid", "messageId"];

/**
 * Claude Code session files: an Anthropic message in each line of type `user` or `assistant`. An
 * answer of several blocks spreads over as many lines. `toolUseResult` repeats a result for the
 * program's own use and is not sent to the model: it stays, and nobody counts it.
 */
export const claudeCodeFormat: Format = createLineFormat({
  name: "claude-code-jsonl",
  origin: "a Claude Code session",

  isLine: (line) =>
    typeof line["type"] === "string" && MARKS.some((mark) => typeof line[mark] === "string"),

  read({ type, message }, options) {
    if (type !== "user" && type !== "assistant") return EMPTY_READING;
    const reading = anthropicFormat.read(message, options);
    const { id } = asRecord(message);
    return {
      ...reading,
      replyId: typeof id === "string" ? id : undefined,
      results: reading.results.map((result) => ({
        ...result,
        path: ["message", "content", result.slot, "content"],
        replacement: (text, chosen) => {
          const replaced = anthropicFormat.replace(message, [{ slot: result.slot, text }], chosen);
          return blockAt(replaced, result.slot)["content"];
        },
      })),
    };
  },

  describeTools: (tools) => anthropicFormat.describeTools(tools),
  readCall: (call) => anthropicFormat.readCall(call),
  answerCall: (call, answer) => anthropicFormat.answerCall(call, answer),
});

function blockAt(message: unknown, slot: number): JsonRecord {
  const { content } = asRecord(message);
  return asRecord(Array.isArray(content) ? content[slot] : undefined);
}
