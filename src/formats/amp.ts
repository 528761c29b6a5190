import { asList, asRecord, type JsonRecord } from "./shared/json-record.js";
import { inputsOf, textsOf } from "./shared/message-parts.js";
import { createRecordFormat } from "./shared/record-format.js";
import { firstMismatch } from "./shared/visitors.js";

/** The answer to a call: a block for a user message. */
export type AmpToolAnswer = {
  type: "tool_result";
  toolUseID: string;
  run: { status: "done"; result: string } | { status: "error"; error: string };
};

/** Where a run holds what it returned; the first that it has is taken. */
const RESULT_KEYS = ["result", "error", "progress"];

const KNOWN_BLOCKS = /^(?:text|image|(?:redacted_)?thinking|tool_(?:use|result)|summary)$/;

/** Amp threads: Anthropic messages, but for results, which hold the run of a tool. */
export const ampFormat = createRecordFormat({
  name: "amp",

  mismatch(messages) {
    const why = firstMismatch(messages, ({ role, content }) => {
      if (role !== "user" && role !== "assistant" && role !== "info") {
        return `has the role ${JSON.stringify(role)}`;
      }
      if (!Array.isArray(content)) return "has no array of blocks as its content";
      const foreign: unknown = content.find((block) => !isAmpBlock(asRecord(block)));
      if (foreign === undefined) return undefined;
      return `has a block of type ${JSON.stringify(asRecord(foreign)["type"])} that is not Amp's`;
    });
    if (why !== undefined || messages.length === 0 || messages.some(isMarked)) return why;
    return "message 0 and those after it have neither an id, nor the time at which they were sent";
  },

  read({ role, content }, reader) {
    if (role === "assistant") reader.model();
    for (const [index, item] of asList(content).entries()) {
      const block = asRecord(item);
      const { type, text, thinking, id, name, input, toolUseID, run } = block;
      if (type === "tool_use") reader.call({ id, name, input });
      else if (type === "tool_result") {
        const key = RESULT_KEYS.find((one) => asRecord(run)[one] !== undefined) ?? "result";
        const isError = asRecord(run)["status"] !== "done";
        reader.result(["content", index, "run", key], { id: toolUseID, isError });
      } else {
        reader.other(text ?? thinking ?? block, isKnown(type) ? undefined : String(type));
      }
    }
  },

  parts: ({ role, content }) =>
    role === "user" ? textsOf(content, ["content"], /^text$/) : inputsOf(content, "tool_use", "id"),

  readCall({ type, id, name, input }) {
    return type === "tool_use" ? { id, name, input } : undefined;
  },

  answerCall: ({ id }, { text, isError }): AmpToolAnswer => ({
    type: "tool_result",
    toolUseID: id,
    run: isError ? { status: "error", error: text } : { status: "done", result: text },
  }),
});

function isKnown(type: unknown): boolean {
  return typeof type === "string" && KNOWN_BLOCKS.test(type);
}

function isAmpBlock({ type, toolUseID }: JsonRecord): boolean {
  return type === "tool_result" ? typeof toolUseID === "string" : isKnown(type);
}

/** Anthropic's own messages have none of these. */
function isMarked(message: unknown): boolean {
  const { messageId, meta, content } = asRecord(message);
  const isAmps = (block: unknown) => asRecord(block)["toolUseID"] !== undefined;
  return messageId !== undefined || meta !== undefined || asList(content).some(isAmps);
}
