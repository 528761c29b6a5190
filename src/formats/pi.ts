import { createLineFormat } from "./shared/json-lines.js";
import { asList, asRecord, isRecord } from "./shared/json-record.js";
import { inputsIn, textsOf } from "./shared/message-parts.js";
import { createRecordFormat, type PlainTool } from "./shared/record-format.js";

/** A tool as pi takes it. */
export type PiTool = PlainTool;

/** The answer to a call: a separate message. */
export type PiToolAnswer = {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: { type: "text"; text: string }[];
  isError: boolean;
};

/** Known types of lines other than messages. */
const NOTES =
  /^(?:session(?:_info)?|model_change|thinking_level_change|compaction|branch_summary|label|custom(?:_message)?)$/;

const KNOWN_BLOCKS: readonly unknown[] = ["thinking", "image"];

/** The messages themselves, as an agent holds them. */
export const piRecordFormat = createRecordFormat({
  name: "pi",
  mismatch: () => undefined,
  blocks: { textType: "text", isMedia: ({ type }) => type === "image", cacheMarks: [] },

  read(message, reader) {
    const { role, content, stopReason, toolCallId: id, toolName, isError } = message;
    if (role === "toolResult") {
      reader.result(["content"], { id, toolName, isError: isError === true });
      return;
    }
    if (role === "assistant") reader.model();
    // The calls of a reply that was cut off are never run.
    const isCutOff = stopReason === "aborted" || stopReason === "error";
    for (const item of typeof content === "string" ? [content] : asList(content)) {
      const { type, text, id: callId, name, arguments: input = {} } = asRecord(item);
      if (typeof item === "string" || type === "text") reader.other(text ?? item);
      else if (type !== "toolCall") {
        reader.other(item, KNOWN_BLOCKS.includes(type) ? undefined : String(type));
      } else if (isCutOff) reader.other(input);
      else reader.call({ id: callId, name, input });
    }
  },

  parts({ role, content }) {
    if (role === "user") return textsOf(content, ["content"], /^text$/);
    const isCall = (slot: number) => asRecord(asList(content)[slot])["type"] === "toolCall";
    return inputsIn(content, ["content"], "id", "arguments").filter((_, slot) => isCall(slot));
  },

  readCall: ({ type, id, name, arguments: input }) =>
    type === "toolCall" ? { id, name, input } : undefined,

  answerCall: ({ id, name }, { text, isError }): PiToolAnswer => ({
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: [{ type: "text", text }],
    isError,
  }),
});

/** pi session files: a result is a separate message of role `toolResult`. */
export const piFormat = createLineFormat({
  name: "pi-jsonl",
  origin: "a pi session",

  isLine({ type, message, timestamp }) {
    if (type === "message") {
      const { role, content } = asRecord(message);
      return typeof role === "string" && !asList(content).some(isAnthropicBlock);
    }
    if (typeof type !== "string" || timestamp === undefined) return false;
    return NOTES.test(type) || undefined;
  },

  messageKey: ({ type, message }) =>
    type === "message" && isRecord(message) ? "message" : undefined,

  messages: piRecordFormat,
  contentPath: piRecordFormat.contentPath,
});

/** Factory Droid records Anthropic messages in lines of the same type. */
function isAnthropicBlock(block: unknown): boolean {
  const { type } = asRecord(block);
  return type === "tool_use" || type === "tool_result";
}
