import { countContentChars, type Content } from "../core/engine/content.js";
import { InvalidArgumentError } from "../core/errors/invalid-argument-error.js";
import type {
  MessageFormat,
  Replacement,
  Survey,
  SurveyOptions,
} from "../core/engine/message-format.js";
import type { ToolResult } from "../core/engine/tool-result.js";
import type { MessageLike } from "./anthropic-types.js";

/** The slot of a result that is the message itself rather than one of its blocks. */
const WHOLE_MESSAGE = -1;

const CONTENT_SHAPE = "a string or an array of content blocks";

export interface AnthropicFormatOptions {
  /** What the messages are called in errors: `messages[3]`, or `message` for a single one. */
  readonly nameOf: (messageIndex: number) => string;
  /**
   * Whether a message whose content is a plain string is a tool result. True where the caller hands
   * in a tool's message; in a history such a message is somebody's words.
   */
  readonly plainTextIsResult: boolean;
}

/** Messages as Anthropic's API has them: results are `tool_result` blocks of a user message. */
export function createAnthropicFormat<M extends MessageLike>(
  options: AnthropicFormatOptions,
): MessageFormat<M> {
  return {
    name: "anthropic",

    survey(messages, surveyOptions) {
      try {
        return survey(
          messages as readonly unknown[] as readonly RawMessage[],
          surveyOptions,
          options,
        );
      } catch (error) {
        // The pass takes the shape for granted where a check would cost as much as the pass itself;
        // what is missing makes it fail, and is named here.
        if (error instanceof TypeError) requireMessages(messages, options);
        throw error;
      }
    },

    replace: replaceContents,
  };
}

/** Messages and blocks as they may really come: nothing about them is certain. */
interface RawMessage {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly tool_use_id?: unknown;
  readonly tool_call_id?: unknown;
}

interface RawBlock {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly input?: unknown;
  readonly tool_use_id?: unknown;
  readonly content?: unknown;
}

/** One pass, the common cases first: a gate that skips must cost little more than adding up lengths. */
function survey(
  messages: readonly RawMessage[],
  { countOther }: SurveyOptions,
  options: AnthropicFormatOptions,
): Survey {
  const { plainTextIsResult } = options;
  const results: ToolResult[] = [];
  let otherChars = 0;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as RawMessage;
    const content = message.content;
    // Two quick tests before the exact one: hardly any message is a result as a whole.
    const mayBeResult = plainTextIsResult || message.role === "tool";
    if (mayBeResult && isWholeResult(message.role, content, options)) {
      results.push(locateMessage(message, content, index, options));
    } else if (typeof content === "string") {
      otherChars += content.length;
    } else if (Array.isArray(content)) {
      for (let slot = 0; slot < content.length; slot++) {
        const block = content[slot] as RawBlock;
        const type = block.type;
        if (type === "text" && typeof block.text === "string") {
          otherChars += block.text.length;
        } else if (type === "tool_result") {
          const { tool_use_id: id, content } = block;
          if (typeof content === "string" && typeof id === "string" && id !== "") {
            results.push({ messageIndex: index, slot, id, content, chars: content.length });
          } else {
            const located = locateBlock(block, index, slot, options);
            if (located) results.push(located);
          }
        } else {
          requireBlock(block, index, slot, options);
          if (countOther) otherChars += countJsonChars(type === "tool_use" ? block.input : block);
        }
      }
    } else {
      requireMessages(messages, options);
    }
  }
  return { results, otherChars };
}

/** Throws for the first message or block that is none. */
function requireMessages(messages: readonly unknown[], options: AnthropicFormatOptions): void {
  for (const [index, message] of messages.entries()) {
    const at = options.nameOf(index);
    if (typeof message !== "object" || message === null || Array.isArray(message)) {
      throw new InvalidArgumentError(at, message, "a message object");
    }
    const { content } = message as RawMessage;
    if (typeof content === "string") continue;
    if (!Array.isArray(content)) {
      throw new InvalidArgumentError(`${at}.content`, content, CONTENT_SHAPE);
    }
    for (const [slot, block] of content.entries()) requireBlock(block, index, slot, options);
  }
}

function requireBlock(
  block: unknown,
  messageIndex: number,
  slot: number,
  { nameOf }: AnthropicFormatOptions,
): void {
  if (typeof block === "object" && block !== null) return;
  const at = `${nameOf(messageIndex)}.content[${slot}]`;
  throw new InvalidArgumentError(at, block, "a content block, an object with a type");
}

/** Whether the message itself is the tool result, rather than a carrier of `tool_result` blocks. */
function isWholeResult(
  role: unknown,
  content: unknown,
  { plainTextIsResult }: AnthropicFormatOptions,
): content is Content {
  if (role === "tool") {
    return typeof content === "string" || (Array.isArray(content) && !content.some(isToolResult));
  }
  // An assistant's or a system's words are no tool's output, whoever hands them in.
  return (
    plainTextIsResult && typeof content === "string" && role !== "assistant" && role !== "system"
  );
}

function isToolResult(block: unknown): boolean {
  return (block as RawBlock | null)?.type === "tool_result";
}

function locateMessage(
  message: RawMessage,
  content: Content,
  messageIndex: number,
  options: AnthropicFormatOptions,
): ToolResult {
  const field = message.tool_use_id == null ? "tool_call_id" : "tool_use_id";
  const id = idOf(message[field], messageIndex, `.${field}`, options);
  const chars = countContentChars(content);
  return { messageIndex, slot: WHOLE_MESSAGE, id, content, chars };
}

function locateBlock(
  { tool_use_id, content }: RawBlock,
  messageIndex: number,
  slot: number,
  options: AnthropicFormatOptions,
): ToolResult | undefined {
  if (content === undefined || content === null) return undefined;
  if (typeof content !== "string" && !Array.isArray(content)) {
    const at = `${options.nameOf(messageIndex)}.content[${slot}].content`;
    throw new InvalidArgumentError(at, content, CONTENT_SHAPE);
  }
  const id = idOf(tool_use_id, messageIndex, `.content[${slot}].tool_use_id`, options);
  return { messageIndex, slot, id, content, chars: countContentChars(content) };
}

function idOf(
  id: unknown,
  messageIndex: number,
  at: string,
  { nameOf }: AnthropicFormatOptions,
): string | undefined {
  if (typeof id === "string") return id === "" ? undefined : id;
  if (id === undefined || id === null) return undefined;
  throw new InvalidArgumentError(
    `${nameOf(messageIndex)}${at}`,
    id,
    "a string, the id of the tool call",
  );
}

function countJsonChars(value: unknown): number {
  return value === undefined ? 0 : countContentChars([value]) - "[]".length;
}

function replaceContents<M extends MessageLike>(
  message: M,
  replacements: readonly Replacement[],
): M {
  const [first] = replacements;
  if (first?.result.slot === WHOLE_MESSAGE) return { ...message, content: first.text };
  const content = (message.content as readonly object[]).slice();
  for (const { result, text } of replacements) {
    content[result.slot] = { ...content[result.slot], content: text };
  }
  return { ...message, content };
}
