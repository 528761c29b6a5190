import type { Survey } from "./survey.js";
import type { Conversation } from "./policy.js";

/** What policies may know of a conversation; `charsFrom` is computed on first use. */
export function createConversation(messageCount: number, survey: Survey): Conversation {
  const { results, otherChars, modelMessages = [], messageChars } = survey;
  let totalChars = otherChars;
  for (const { chars } of results) totalChars += chars;
  let charsFrom: Float64Array | undefined;
  return {
    messageCount,
    totalChars,
    lastModelMessage: modelMessages.at(-1) ?? -1,
    turnsAfter: (messageIndex) => countAfter(modelMessages, messageIndex),
    charsFrom(messageIndex) {
      charsFrom ??= sumFromEnd(messageCount, messageChars);
      return charsFrom[Math.max(messageIndex, 0)] ?? 0;
    },
  };
}

/** How many of the ascending positions are greater than this one. */
function countAfter(positions: readonly number[], position: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) > position) high = middle;
    else low = middle + 1;
  }
  return positions.length - low;
}

function sumFromEnd(count: number, charsOf: Survey["messageChars"]): Float64Array {
  const sums = new Float64Array(count + 1);
  for (let index = count - 1; index >= 0; index--) {
    sums[index] = (sums[index + 1] ?? 0) + (charsOf?.(index) ?? 0);
  }
  return sums;
}
