import type { Dialect, DialectOptions } from "../core/dialect.js";
import { asRecord, isRecord, type JsonRecord } from "./json-record.js";
import { createLineDialect, EMPTY_READING, type LineResult } from "./line-dialect.js";
import { openaiResponsesDialect } from "./openai-responses-dialect.js";

/**
 * Codex rollout files: items of the Responses API in the `payload` of `response_item` lines. Events
 * repeat outputs for the screen; the model does not get them, so that they stay.
 */
export const codexDialect: Dialect = createLineDialect({
  name: "codex-jsonl",
  origin: "a Codex rollout",

  isLine: ({ type, payload }) => typeof type === "string" && isRecord(payload),

  read({ type, payload }, options) {
    if (type !== "response_item" || !isRecord(payload)) return EMPTY_READING;
    const reading = openaiResponsesDialect.read(payload, options);
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

  describeTools: (tools) => openaiResponsesDialect.describeTools(tools),
  readCall: (call) => openaiResponsesDialect.readCall(call),
  answerCall: (call, answer) => openaiResponsesDialect.answerCall(call, answer),
});

function readResults(
  item: JsonRecord,
  path: LineResult["path"],
  options: DialectOptions,
): LineResult[] {
  return openaiResponsesDialect.read(item, options).results.map((result) => ({
    ...result,
    path,
    replacement: (text, chosen) =>
      asRecord(openaiResponsesDialect.replace(item, [{ slot: result.slot, text }], chosen))[
        "output"
      ],
  }));
}
