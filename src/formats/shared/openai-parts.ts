import type { FormatReadOptions, MessageVisitor } from "../../core/engine/format.js";
import { asList, asRecord, isRecord, type JsonRecord } from "./json-record.js";
import { blockText, type BlockRules } from "./blocks.js";
import { countJsonChars } from "./plain-json.js";

const MEDIA_PARTS =
  /^(?:(?:image|audio|video|document)(?:_url)?|file|input_(?:image|audio|video|file))$/;

/** Parts of either of OpenAI's APIs and of those made after them. */
export const OPENAI_PARTS: BlockRules = {
  textType: "text",
  otherTextTypes: ["input_text", "output_text"],
  isMedia: ({ type }) => typeof type === "string" && MEDIA_PARTS.test(type),
  // OpenAI's own field, and the one of its proxies.
  cacheMarks: ["prompt_cache_breakpoint", "cache_control"],
};

/** The arguments of a call; text that is not JSON is passed on, for the tool to say what is wrong. */
export function parseArguments(input: unknown): unknown {
  if (typeof input !== "string") return input;
  if (input.trim() === "") return {};
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}

/** The arguments of a call are JSON in a text; some servers give the object itself. */
export function countInputChars(input: unknown): number {
  if (typeof input === "string") return input.length;
  return isRecord(input) ? countJsonChars(input) : 0;
}

/** The parts of a message: text by its length, others as their JSON. */
export function readParts(
  content: unknown,
  isKnown: (part: unknown) => boolean,
  visitor: MessageVisitor,
  { countOther }: FormatReadOptions,
): void {
  if (typeof content === "string") {
    visitor.other(content.length);
    return;
  }
  for (const part of asList(content)) {
    const text = blockText(part, OPENAI_PARTS);
    const chars = text?.length ?? (countOther ? countJsonChars(part) : 0);
    visitor.other(chars, isKnown(part) ? undefined : String(asRecord(part)["type"]));
  }
}

/** Messages of LangChain have roles and content as well, and its serialised ones a type. */
export function isLangChainMessage(message: JsonRecord): boolean {
  const { getType, _getType } = message;
  return typeof getType === "function" || typeof _getType === "function" || "lc" in message;
}
