import { serializeContent, type ToolResult } from "../core/engine/format.js";
import { surveyMessages, type Survey } from "../core/engine/survey.js";
import {
  type FormatMismatch,
  InvalidArgumentError,
  UnknownFormatError,
} from "../core/errors/argument-errors.js";
import { anthropicFormat, type AnthropicMessageLike } from "../formats/anthropic.js";
import { detectFormat } from "../formats/detect-format.js";
import { requireObject, requireText } from "../core/arguments.js";
import type { FileWriter } from "../core/files/file-sink.js";

export function requireOutputDir(outputDir: unknown): string {
  return requireText("outputDir", outputDir, "the folder for the files");
}

export function requireWriter(writer: unknown): FileWriter {
  const candidate = requireObject("writer", writer, "an object with a writeFile method");
  if ("writeFile" in candidate && typeof candidate.writeFile === "function") {
    return candidate as FileWriter;
  }
  throw new InvalidArgumentError("writer", writer, "an object with a writeFile method");
}

const CONTENT_SHAPE = "a string or an array of content blocks";

interface SurveyRequest {
  readonly countOther: boolean;
  /** The name of a message in errors: `messages[3]`, or `message` for a single one. */
  readonly nameOf: (messageIndex: number) => string;
}

/**
 * Surveys messages for the file presets. They are checked only if the survey found something unknown:
 * checking every message would cost as much as the pass itself.
 */
export function surveyAnthropic(
  messages: readonly AnthropicMessageLike[],
  { countOther, nameOf }: SurveyRequest,
): Survey {
  const survey = surveyMessages(anthropicFormat, messages, { media: "offload", countOther });
  const hasResults = survey.results.length > 0;
  if (survey.hasUnknown) requireShape(messages, nameOf, hasResults);
  // A tool message by itself may be anybody's; calls beside it say whose it is.
  const isDoubtful = hasResults
    ? survey.results.some(isWholeMessage) && messages.some(hasToolCalls)
    : seemsForeign(messages);
  if (survey.hasUnknown || isDoubtful) {
    const mismatches = rejectOtherFormats(messages, hasResults);
    const isNobodys = survey.hasUnknown && !hasResults && mismatches[0]?.isNear === false;
    if (isNobodys) throw UnknownFormatError.ofMismatches(mismatches);
  }
  // Blocks without a length cannot be written as JSON, which is an error here.
  for (const { content, chars } of survey.results) {
    if (chars === 0 && typeof content !== "string") serializeContent(content);
  }
  return survey;
}

/**
 * Whether messages may be another vendor's although every content reads like Anthropic's: no role, or a
 * type of their own. The first and the last tell, since looking at all would be one more pass.
 */
export function seemsForeign(messages: readonly unknown[]): boolean {
  return [messages[0], messages.at(-1)].some((message) => {
    if (!isObject(message)) return false;
    const { role, type } = message;
    return role === undefined || (type !== undefined && type !== "message");
  });
}

function isWholeMessage({ slot }: ToolResult): boolean {
  return slot < 0;
}

function hasToolCalls(message: object): boolean {
  return "tool_calls" in message && message.tool_calls !== undefined;
}

/** Throws for the first message or block that is malformed. */
function requireShape(
  messages: readonly unknown[],
  nameOf: SurveyRequest["nameOf"],
  hasResults: boolean,
): void {
  for (const [index, message] of messages.entries()) {
    const at = nameOf(index);
    if (!isObject(message)) throw new InvalidArgumentError(at, message, "a message object");
    const { content, tool_use_id, tool_call_id, tool_calls } = message;
    if (tool_calls !== undefined) rejectOtherFormats(messages, hasResults);
    requireId(`${at}.tool_use_id`, tool_use_id);
    requireId(`${at}.tool_call_id`, tool_call_id);
    if (typeof content === "string") continue;
    if (!Array.isArray(content)) {
      // Another vendor's messages are not malformed.
      rejectOtherFormats(messages, hasResults);
      throw new InvalidArgumentError(`${at}.content`, content, CONTENT_SHAPE);
    }
    for (const [slot, block] of content.entries()) requireBlock(`${at}.content[${slot}]`, block);
  }
}

function requireBlock(at: string, block: unknown): void {
  if (!isObject(block)) {
    throw new InvalidArgumentError(at, block, "a content block, an object with a type");
  }
  const { type, content, tool_use_id } = block;
  if (type !== "tool_result") return;
  requireId(`${at}.tool_use_id`, tool_use_id);
  const isContent = content == null || typeof content === "string" || Array.isArray(content);
  if (!isContent) throw new InvalidArgumentError(`${at}.content`, content, CONTENT_SHAPE);
}

function requireId(at: string, id: unknown): void {
  if (id === undefined || id === null || typeof id === "string") return;
  throw new InvalidArgumentError(at, id, "a string, the id of the tool call");
}

/**
 * These functions would damage messages of other formats, or find nothing in them. Where they found
 * nothing, a format that only comes nearest is rejected too. Returns why other formats do not fit.
 */
export function rejectOtherFormats(
  messages: readonly unknown[],
  hasResults: boolean,
): readonly FormatMismatch[] {
  const detected = detectFormat(messages);
  const mismatches = "mismatches" in detected ? detected.mismatches : [];
  const nearest = hasResults ? undefined : mismatches.find(({ isNear }) => isNear)?.format;
  const name = "format" in detected ? detected.format.name : nearest;
  if (name === undefined || name === anthropicFormat.name) return mismatches;
  throw new UnknownFormatError(
    `These messages look like ${name}, but this function only takes Anthropic messages. ` +
      `Use createOffloader({ root, sessionId, format: ${JSON.stringify(name)} }).offload(messages).`,
    [{ format: anthropicFormat.name, why: anthropicFormat.mismatch(messages) ?? "" }],
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
