import type { Conversation, Policy, ToolResult } from "../../src/policies.js";
import { createConversation } from "../../src/core/engine/policy.js";
import { toolResult } from "./tool-results.js";

/** A conversation in which the model speaks at even positions and tools answer at odd ones. */
export function conversationOf(results: readonly ToolResult[], messageCount: number): Conversation {
  const modelMessages = Array.from({ length: Math.ceil(messageCount / 2) }, (_, turn) => turn * 2);
  return createConversation(messageCount, {
    results: [...results],
    otherChars: messageCount * 100,
    modelMessages,
    messageChars: (index) =>
      100 + results.reduce((sum, r) => sum + (r.messageIndex === index ? r.chars : 0), 0),
  });
}

/** A result of so many characters in the message at this position. */
export const at = (messageIndex: number, chars: number, changes: Partial<ToolResult> = {}) =>
  toolResult("word ".repeat(Math.ceil(chars / 5)).slice(0, chars), { messageIndex, ...changes });

/** What the policy says of each result. */
export function decide(
  policy: Policy,
  results: readonly ToolResult[],
  messageCount = 10,
): boolean[] {
  return policy
    .decide(results, conversationOf(results, messageCount))
    .map(({ offload }) => offload);
}

/** What the policy says of results of these lengths, in a conversation of so many characters. */
export function decideLengths(
  policy: Policy,
  lengths: readonly number[],
  totalChars: number,
): boolean[] {
  const results = lengths.map((length) => at(0, length));
  return policy
    .decide(results, createConversation(1, { results: [], otherChars: totalChars }))
    .map(({ offload }) => offload);
}
