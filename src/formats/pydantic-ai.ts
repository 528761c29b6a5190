import { nonEmptyText } from "../core/lib/json/plain-json.js";
import type { BlockRules } from "./shared/blocks.js";
import { asList, asRecord, type JsonRecord } from "./shared/json-record.js";
import type { PartPlace } from "./shared/message-parts.js";
import { createRecordFormat } from "./shared/record-format.js";
import { firstMismatch } from "./shared/visitors.js";

/** The answer to a call: a part for a request. */
export type PydanticAiToolAnswer = {
  tool_name: string;
  content: string;
  tool_call_id: string;
  outcome: "success" | "failed";
  part_kind: "tool-return";
};

const KNOWN_PARTS =
  /^(?:system-prompt|instruction|user-prompt|text|thinking|file|compaction|(?:builtin-)?tool-(?:call|return)|retry-prompt)$/;

const MEDIA = /^(?:binary|uploaded-file|(?:image|audio|video|document)-url)$/;

const BLOCKS: BlockRules = {
  textType: "text",
  isMedia: ({ kind }) => typeof kind === "string" && MEDIA.test(kind),
  cacheMarks: [],
};

/** Pydantic AI messages as JSON. Results of the provider's own tools are kept. */
export const pydanticAiFormat = createRecordFormat({
  name: "pydantic-ai",
  blocks: BLOCKS,

  mismatch: (messages) =>
    firstMismatch(messages, ({ kind, parts }) => {
      if (kind !== "request" && kind !== "response") {
        return `has the kind ${JSON.stringify(kind)} instead of request or response`;
      }
      const isPart = (part: unknown) => typeof asRecord(part)["part_kind"] === "string";
      return Array.isArray(parts) && parts.every(isPart)
        ? undefined
        : "has no parts of a part_kind";
    }),

  read({ kind, parts }, reader) {
    if (kind === "response") reader.model();
    for (const [index, item] of asList(parts).entries()) {
      const part = asRecord(item);
      const { part_kind, tool_name: toolName, tool_call_id: id, content } = part;
      const path = ["parts", index, "content"];
      if (part_kind === "tool-call") reader.call({ id, name: toolName, input: part["args"] });
      else if (part_kind === "tool-return") {
        reader.result(path, { id, toolName, isError: isFailure(part) });
      } else if (part_kind === "retry-prompt" && typeof toolName === "string") {
        reader.result(path, { id, toolName, isError: true });
      } else {
        const isKnown = KNOWN_PARTS.test(String(part_kind));
        reader.other(content ?? part, isKnown ? undefined : String(part_kind));
      }
    }
  },

  /** Content may be any value: a text, or a list of texts and media. */
  reference(blocks, text, media) {
    const kept = blocks.filter((block) => media === "keep" && BLOCKS.isMedia(asRecord(block)));
    return kept.length === 0 ? text : [text, ...kept];
  },

  parts: ({ parts }) =>
    asList(parts).flatMap((item, index): PartPlace[] => {
      const { part_kind, tool_call_id, content } = asRecord(item);
      const path = ["parts", index];
      const id = nonEmptyText(tool_call_id);
      if (part_kind === "tool-call") return [{ kind: "toolInput", path: [...path, "args"], id }];
      if (part_kind !== "user-prompt") return [];
      const prompt = [...path, "content"];
      if (typeof content === "string") return [{ kind: "userMessage", path: prompt }];
      // A list of texts and media.
      return asList(content).flatMap((text, at): PartPlace[] =>
        typeof text === "string" ? [{ kind: "userMessage", path: [...prompt, at] }] : [],
      );
    }),

  readCall({ part_kind, tool_call_id, tool_name, args }) {
    if (part_kind !== "tool-call") return undefined;
    return { id: tool_call_id, name: tool_name, input: args };
  },

  answerCall: ({ id, name }, { text, isError }): PydanticAiToolAnswer => ({
    tool_name: name,
    content: text,
    tool_call_id: id,
    outcome: isError ? "failed" : "success",
    part_kind: "tool-return",
  }),
});

function isFailure({ outcome }: JsonRecord): boolean {
  return outcome === "failed" || outcome === "denied";
}
