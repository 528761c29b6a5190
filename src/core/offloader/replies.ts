import type { SeenMessage } from "./seen-message.js";

/** The messages that call reading tools, or hold their answers. */
export function findReadings(messages: readonly SeenMessage[]): number[] {
  const found: number[] = [];
  for (let index = 0; index < messages.length; index++) {
    if (messages[index]?.isReading) found.push(index);
  }
  return found;
}

/** Where the replies begin that do more than read what was offloaded. */
export function repliesBesideReading(messages: readonly SeenMessage[]): number[] {
  const firsts = firstOfReplies(messages);
  return firsts.filter((first, at) => {
    const calls = messages.slice(first, firsts[at + 1]).flatMap((message) => message.calls);
    return calls.length === 0 || calls.some(({ reading }) => reading === undefined);
  });
}

/** A reply may be recorded as several messages; it is one turn, counted at the first of them. */
export function firstOfReplies(messages: readonly SeenMessage[]): number[] {
  const firsts: number[] = [];
  let isReply = false;
  let replyId: string | undefined;
  for (const [index, message] of messages.entries()) {
    const continues = isReply || (message.replyId !== undefined && message.replyId === replyId);
    if (message.isModel && !continues) firsts.push(index);
    if (message.isModel) replyId = message.replyId;
    // Where results are part of the reply, the model goes on with another one.
    isReply = message.isModel && message.answers === 0;
  }
  return firsts;
}
