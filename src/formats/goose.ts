import type { BlockRules } from "./shared/blocks.js";
import { asList, asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import { inputsIn, textsOf } from "./shared/message-parts.js";
import { createRecordFormat } from "./shared/record-format.js";
import type { JsonPath } from "./shared/line-splicer.js";
import { firstMismatch } from "./shared/visitors.js";

/** The answer to a call: a block for a user message. */
export type GooseToolAnswer = {
  type: "toolResponse";
  id: string;
  toolResult: {
    status: "success";
    value: { content: { type: "text"; text: string }[]; isError: boolean };
  };
};

const KNOWN_BLOCKS =
  /^(?:text|image|toolRe(?:quest|sponse)|toolConfirmationRequest|frontendToolRequest|thinking|redactedThinking|reasoning|systemNotification|actionRequired|contextLengthExceeded|summarizationRequested|conversationCompacted)$/;

const BLOCKS: BlockRules = {
  textType: "text",
  isMedia: ({ type }) => type === "image" || type === "audio",
  isFixed: ({ type }) => type === "resource_link",
  cacheMarks: [],
};

/** Goose messages: results are `toolResponse` blocks, which hold what an MCP server returned. */
export const gooseFormat = createRecordFormat({
  name: "goose",
  blocks: BLOCKS,

  mismatch: (messages) =>
    firstMismatch(messages, ({ role, content, created, working_dir }) => {
      // The first line of a session file describes the session.
      if (role === undefined && typeof working_dir === "string") return undefined;
      if (role !== "user" && role !== "assistant") return `has the role ${JSON.stringify(role)}`;
      if (typeof created !== "number") return "has no time of creation";
      if (!Array.isArray(content)) return "has no array of blocks as its content";
      const types = content.map((block) => String(asRecord(block)["type"]));
      const foreign = types.find((type) => !KNOWN_BLOCKS.test(type));
      return foreign === undefined ? undefined : `has a block of type ${JSON.stringify(foreign)}`;
    }),

  read({ role, content, id }, reader) {
    if (role === "assistant") reader.model(id);
    for (const [index, item] of asList(content).entries()) {
      const block = asRecord(item);
      const { type, text, toolResult } = block;
      const call = readRequest(block);
      if (type === "text") reader.other(text);
      else if (call) reader.call(call);
      else if (type === "toolResponse") {
        const result = asRecord(toolResult);
        const isError =
          result["status"] === "error" || asRecord(result["value"])["isError"] === true;
        const path = ["content", index, "toolResult", ...pathInResult(result)];
        reader.result(path, { id: block["id"], isError });
      } else {
        reader.other(block, KNOWN_BLOCKS.test(String(type)) ? undefined : String(type));
      }
    }
  },

  parts({ role, content }) {
    if (role === "user") return textsOf(content, ["content"], /^text$/);
    const places = inputsIn(content, ["content"], "id", "toolCall", "value", "arguments");
    return places.filter((_, index) => readRequest(asRecord(asList(content)[index])));
  },

  readCall: readRequest,

  answerCall: ({ id }, { text, isError }): GooseToolAnswer => ({
    type: "toolResponse",
    id,
    toolResult: { status: "success", value: { content: [{ type: "text", text }], isError } },
  }),
});

function readRequest({ type, id, toolCall }: JsonRecord) {
  const { name, arguments: input } = asRecord(asRecord(toolCall)["value"]);
  if (type !== "toolRequest" || typeof name !== "string") return undefined;
  return { id, name, input };
}

/** Older sessions hold the blocks themselves as the value. */
function pathInResult({ status, value }: JsonRecord): JsonPath {
  if (status === "error") return ["error"];
  return isRecord(value) ? ["value", "content"] : ["value"];
}
