import type { Survey } from "./survey.js";
import type { Conversation } from "./policy.js";

/** What policies may ask of a conversation; worked out only when one asks. */
export function createConversation(messageCount: number, survey: Survey): Conversation {
  let totalChars: number | undefined;
  let modelMessages: readonly number[] | undefined;
  let charsFrom: Float64Array | undefined;
  const listModelMessages = () => (modelMessages ??= survey.modelMessages ?? []);
  return {
    messageCount,
    get totalChars() {
      return (totalChars ??= sumChars(survey));
    },
    get lastModelMessage() {
      return listModelMessages().at(-1) ?? -1;
    },
    turnsAfter: (messageIndex) => countAfter(listModelMessages(), messageIndex),
    charsFrom(messageIndex) {
      charsFrom ??= sumFromEnd(messageCount, survey.messageChars);
      return charsFrom[Math.max(messageIndex, 0)] ?? 0;
    },
  };
}

function sumChars({ results, otherChars }: Survey): number {
  let sum = otherChars;
  for (const { chars } of results) sum += chars;
  return sum;
}

/** How many of the rising positions are greater than this one. */
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
