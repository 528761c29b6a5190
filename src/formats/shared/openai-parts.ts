import type { FormatReadOptions, MessageVisitor } from "../../core/engine/format.js";
import { asList, asRecord, countJsonChars, isRecord, type JsonRecord } from "./json-record.js";
import { blockText, type BlockRules } from "./blocks.js";

const MEDIA_PARTS =
  /^(?:(?:image|audio|video|document)(?:_url)?|file|input_(?:image|audio|video|file))$/;

/** Parts of both of OpenAI's APIs and of compatible ones. */
export const OPENAI_PARTS: BlockRules = {
  textType: "text",
  otherTextTypes: ["input_text", "output_text"],
  isMedia: ({ type }) => typeof type === "string" && MEDIA_PARTS.test(type),
  // OpenAI's own field, and the one that proxies use.
  cacheMarks: ["prompt_cache_breakpoint", "cache_control"],
};

/** The arguments of a call; text that is not JSON is passed on, so that the tool can report it. */
export function parseArguments(input: unknown): unknown {
  if (typeof input !== "string") return input;
  if (input.trim() === "") return {};
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}

/** The arguments of a call are JSON in a string; some servers send the object itself. */
export function countInputChars(input: unknown): number {
  if (typeof input === "string") return input.length;
  return isRecord(input) ? countJsonChars(input) : 0;
}

/** Reports the parts of a message: text by its length, others by that of their JSON. */
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

/** LangChain messages have roles and content too; instances are recognized by a method, serialized ones by `lc`. */
export function isLangChainMessage(message: JsonRecord): boolean {
  const { getType, _getType } = message;
  return typeof getType === "function" || typeof _getType === "function" || "lc" in message;
}
