/** A content block as it may come from a vendor: more fields than are known here. */
export interface AnyBlock {
  type: string;
  [field: string]: unknown;
}

/** A message as it may come from a vendor. */
export interface AnyMessage {
  role: string;
  content: string | AnyBlock[];
  [field: string]: unknown;
}

export function toolResult(
  id: string | undefined,
  content: unknown,
  fields: object = {},
): AnyBlock {
  return {
    type: "tool_result",
    ...(id === undefined ? {} : { tool_use_id: id }),
    content,
    ...fields,
  };
}

/** A user's message that carries these blocks. */
export function carrying(...content: AnyBlock[]): AnyMessage {
  return { role: "user", content };
}

/** One message for each result. */
export function historyOf(...results: readonly (readonly [string, unknown])[]): AnyMessage[] {
  return results.map(([id, content]) => carrying(toolResult(id, content)));
}

/** The block at this place of the message. */
export function blockOf(message: AnyMessage | undefined, slot = 0): AnyBlock {
  const block = Array.isArray(message?.content) ? message.content[slot] : undefined;
  if (!block) throw new Error(`The message has no block ${slot}.`);
  return block;
}

/** The content of all tool results, in their order. */
export function resultContents(messages: readonly AnyMessage[]): unknown[] {
  return messages
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .filter(({ type }) => type === "tool_result")
    .map((block) => block["content"]);
}

/** A text of exactly this many characters that differs from those of other labels. */
export function textOf(chars: number, label = "line"): string {
  return `${label}\n`.repeat(Math.ceil(chars / (label.length + 1))).slice(0, chars);
}
