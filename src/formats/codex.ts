import type { Format, FormatOptions } from "../core/engine/format.js";
import { asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import { createLineFormat, EMPTY_READING, type LineResult } from "./shared/json-lines.js";
import { openaiResponsesFormat } from "./openai-responses.js";

/**
 * Codex rollout files: items of the Responses API in the `payload` of `response_item` lines. Events
 * repeat outputs for the screen; the model does not get them, so that they stay.
 */
export const codexFormat: Format = createLineFormat({
  name: "codex-jsonl",
  origin: "a Codex rollout",

  isLine: ({ type, payload }) => typeof type === "string" && isRecord(payload),

  read({ type, payload }, options) {
    if (type !== "response_item" || !isRecord(payload)) return EMPTY_READING;
    const reading = openaiResponsesFormat.read(payload, options);
    const { content, success } = asRecord(payload["output"]);
    return {
      ...reading,
      // Older files say beside the content whether the call succeeded; that stays where it is.
      results: [
        ...readResults(payload, ["payload", "output"], options),
        ...readResults({ ...payload, output: content }, ["payload", "output", "content"], options),
      ].map((result) => ({ ...result, isError: success === false })),
    };
  },

  describeTools: (tools) => openaiResponsesFormat.describeTools(tools),
  readCall: (call) => openaiResponsesFormat.readCall(call),
  answerCall: (call, answer) => openaiResponsesFormat.answerCall(call, answer),
});

function readResults(
  item: JsonRecord,
  path: LineResult["path"],
  options: FormatOptions,
): LineResult[] {
  return openaiResponsesFormat.read(item, options).results.map((result) => ({
    ...result,
    path,
    replacement: (text, chosen) =>
      asRecord(openaiResponsesFormat.replace(item, [{ slot: result.slot, text }], chosen))[
        "output"
      ],
  }));
}
