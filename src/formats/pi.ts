import { countContentChars } from "../core/engine/content.js";
import type { Format, FormatOptions } from "../core/engine/format.js";
import { anthropicFormat } from "./anthropic.js";
import { asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import { createLineFormat, EMPTY_READING, type LineResult } from "./shared/json-lines.js";

/** What is noted between messages. */
const NOTES =
  /^(?:session(?:_info)?|model_change|thinking_level_change|compaction|branch_summary|label|custom(?:_message)?)$/;

/** pi session files: a result is a message of its own, of the role `toolResult`. */
export const piFormat: Format = createLineFormat({
  name: "pi-jsonl",
  origin: "a pi session",

  isLine: ({ type, message, timestamp }) =>
    type === "message"
      ? isRecord(message) && typeof message["role"] === "string"
      : typeof type === "string" && NOTES.test(type) && timestamp !== undefined,

  read({ type, message }, options) {
    if (type !== "message" || !isRecord(message)) return EMPTY_READING;
    const { role, content } = message;
    const blocks = Array.isArray(content) ? content.map(asRecord) : [];
    return {
      fromModel: role === "assistant",
      calls: blocks
        .filter((block) => block["type"] === "toolCall")
        .map(({ id, name }) => ({
          id: typeof id === "string" && id !== "" ? id : undefined,
          name: String(name),
        })),
      results: role === "toolResult" ? readResult(message, options) : [],
      otherChars: () => (role === "toolResult" ? 0 : countChars(content, blocks)),
    };
  },

  describeTools: (tools) =>
    tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      parameters: inputSchema,
    })),

  readCall(call) {
    const { type, name, arguments: input } = asRecord(call);
    return type === "toolCall" && typeof name === "string" ? { name, input } : undefined;
  },

  answerCall: (call, { text, isError }) => ({
    role: "toolResult",
    toolCallId: asRecord(call)["id"],
    toolName: asRecord(call)["name"],
    content: [{ type: "text", text }],
    isError,
  }),
});

/** The content is of the blocks that Anthropic has, text and pictures; so it is read as one. */
function readResult(message: JsonRecord, options: FormatOptions): LineResult[] {
  const { toolCallId, toolName, content, isError } = message;
  const block = { type: "tool_result", tool_use_id: toolCallId, content, is_error: isError };
  const carrier = { role: "user", content: [block] };
  return anthropicFormat.read(carrier, options).results.map((result) => ({
    ...result,
    toolName: typeof toolName === "string" ? toolName : undefined,
    path: ["message", "content"],
    replacement: (text, chosen) => {
      const replaced = anthropicFormat.replace(carrier, [{ slot: 0, text }], chosen);
      const [left] = asRecord(replaced)["content"] as readonly JsonRecord[];
      const reference = left?.["content"];
      // Blocks stay blocks: pi itself takes nothing else.
      return Array.isArray(content) && typeof reference === "string"
        ? [{ type: "text", text: reference }]
        : reference;
    },
  }));
}

function countChars(content: unknown, blocks: readonly JsonRecord[]): number {
  if (typeof content === "string") return content.length;
  let chars = 0;
  for (const block of blocks) {
    const { type, text, arguments: input } = block;
    if (type === "text" && typeof text === "string") chars += text.length;
    else chars += countContentChars(type === "toolCall" ? asRecord(input) : block);
  }
  return chars;
}
