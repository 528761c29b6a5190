import type { Format } from "../core/engine/format.js";
import { openaiResponsesFormat } from "./openai-responses.js";
import { createLineFormat } from "./shared/json-lines.js";
import { asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import { relayTo } from "./shared/visitors.js";

const LINES =
  /^(?:session_meta|response_item|event_msg|turn_context|compacted|world_state|inter_agent_communication\w*)$/;

/** In older files an output is an object, with its content and whether the call succeeded. */
const itemFormat = {
  ...openaiResponsesFormat,

  read(item, visitor, options) {
    const { output } = asRecord(item);
    if (!isRecord(output)) {
      openaiResponsesFormat.read(item, visitor, options);
      return;
    }
    const isError = output["success"] === false;
    const relay = relayTo(visitor, (result) => ({ ...result, isError }));
    openaiResponsesFormat.read(withInnerOutput(item), relay, options);
  },

  replace(item, texts, options) {
    const { output } = asRecord(item);
    if (!isRecord(output)) return openaiResponsesFormat.replace(item, texts, options);
    const replaced = openaiResponsesFormat.replace(withInnerOutput(item), texts, options);
    return { ...asRecord(item), output: { ...output, content: replaced["output"] } };
  },
} satisfies Format;

/**
 * Codex rollout files: items of the Responses API in the `payload` of `response_item` lines. Events
 * repeat outputs for display; they are not sent to the model, so they are kept.
 */
export const codexFormat = createLineFormat({
  name: "codex-jsonl",
  origin: "a Codex rollout",

  isLine({ type, payload }) {
    if (typeof type !== "string" || !isRecord(payload)) return false;
    return LINES.test(type) || undefined;
  },

  messageKey: ({ type, payload }) =>
    type === "response_item" && isRecord(payload) ? "payload" : undefined,

  messages: itemFormat,
  contentPath: ({ output }) => (isRecord(output) ? ["output", "content"] : ["output"]),
});

function withInnerOutput(item: unknown): JsonRecord {
  const record = asRecord(item);
  return { ...record, output: asRecord(record["output"])["content"] };
}
