interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
}

/**
 * The prompt of an AI SDK model with this text at the end of its system prompt. It is the same in every
 * request, so that caches stay warm.
 */
export function addSystemText<M>(prompt: readonly M[], text: string): M[] {
  if (text === "") return [...prompt];
  const [first, ...rest] = prompt as readonly (M & PromptMessage)[];
  const isSystem = first?.role === "system" && typeof first.content === "string";
  if (!isSystem) return [{ role: "system", content: text } as M, ...prompt];
  return [{ ...first, content: `${first.content}\n\n${text}` }, ...rest];
}
