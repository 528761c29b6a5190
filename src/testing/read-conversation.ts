import type { Format, FormatResult, MediaRule, MessageVisitor } from "../core/engine/format.js";

/** A conversation as a format reads it. */
export interface ConversationReading {
  /** The results, with the names of their tools if known. */
  readonly results: readonly FormatResult[];
  /** The calls, with their inputs parsed. */
  readonly calls: readonly ReadingOfCall[];
  readonly otherChars: number;
  /** How many replies the model gave; a reply may be several messages. */
  readonly replies: number;
  /** Which messages the model wrote. */
  readonly modelMessages: readonly number[];
}

export interface ReadingOfCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly input: unknown;
}

export function readConversation(
  format: Format,
  messages: readonly unknown[],
  media: MediaRule = "keep",
): ConversationReading {
  const names = new Map<string, string>();
  const calls: ReadingOfCall[] = [];
  const results: FormatResult[] = [];
  const modelMessages: number[] = [];
  let otherChars = 0;
  let replies = 0;
  let lastReplyId: string | undefined;
  let lastResult = -1;
  for (const [index, message] of messages.entries()) {
    const visitor: MessageVisitor = {
      modelMessage(replyId) {
        // Where results are part of the reply, the model goes on with another one.
        const isContinued = modelMessages.at(-1) === index - 1 && lastResult < index - 1;
        if (!isContinued && (replyId === undefined || replyId !== lastReplyId)) replies++;
        lastReplyId = replyId;
        modelMessages.push(index);
      },
      call(id, name, input) {
        const parsed: unknown = typeof input === "string" ? JSON.parse(input) : input;
        calls.push({ id, name, input: parsed });
        if (id !== undefined) names.set(id, name);
      },
      result(found) {
        const { slot, id, content, soleText, chars, isError, wrapping } = found;
        const toolName = found.toolName ?? (id === undefined ? undefined : names.get(id));
        lastResult = index;
        results.push({ slot, id, content, soleText, chars, isError, wrapping, toolName });
      },
      other(chars) {
        otherChars += chars;
      },
    };
    format.read(message, visitor, { media, countOther: true });
  }
  return { results, calls, otherChars, replies, modelMessages };
}
