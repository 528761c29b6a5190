import * as ai6 from "ai";
import * as ai7 from "ai-7";
import { MockLanguageModelV4 } from "ai-7/test";
import { MockLanguageModelV3 } from "ai/test";
import { NEEDED, SEARCH } from "./framework-story.js";

type Options = Parameters<MockLanguageModelV3["doGenerate"]>[0];
type Streamed = Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"];
type Chunk = Streamed extends ReadableStream<infer Part> ? Part : never;
export type Call = { readonly toolName: string; readonly input: object; readonly id?: string };
/** What the model does next: calls tools, or says something. */
export type Move = string | readonly Call[];

/** The versions that are tested. Both take the same calls; their types are checked in a test of their own. */
export const SDKS = [
  { name: "ai 6", sdk: ai6, Model: MockLanguageModelV3 },
  {
    name: "ai 7",
    sdk: ai7 as unknown as typeof ai6,
    Model: MockLanguageModelV4 as unknown as typeof MockLanguageModelV3,
  },
];

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that plays this script, streamed or not, and remembers what it was sent. */
export function scriptModel(
  Model: typeof MockLanguageModelV3,
  script: (prompt: Options["prompt"]) => Move,
): MockLanguageModelV3 {
  let calls = 0;
  const partsOf = (move: Move) =>
    typeof move === "string"
      ? [{ type: "text" as const, text: move }]
      : move.map(({ toolName, input, id = `call-${++calls}` }) => ({
          type: "tool-call" as const,
          toolCallId: id,
          toolName,
          input: JSON.stringify(input),
        }));
  const reasonOf = (move: Move) => {
    const unified = typeof move === "string" ? ("stop" as const) : ("tool-calls" as const);
    return { unified, raw: unified };
  };
  return new Model({
    doGenerate: ({ prompt }) => {
      const move = script(prompt);
      const finishReason = reasonOf(move);
      return Promise.resolve({ content: partsOf(move), finishReason, usage: USAGE, warnings: [] });
    },
    doStream: ({ prompt }) => {
      const move = script(prompt);
      const chunks = partsOf(move).flatMap((part): Chunk[] =>
        part.type === "text"
          ? [
              { type: "text-start", id: "1" },
              { type: "text-delta", id: "1", delta: part.text },
              { type: "text-end", id: "1" },
            ]
          : [part],
      );
      chunks.push({ type: "finish", finishReason: reasonOf(move), usage: USAGE });
      return Promise.resolve({ stream: ai6.simulateReadableStream({ chunks }) });
    },
  });
}

/** Calls these tools, searches if it got references only, and answers from what it read. */
export function investigate(calls: readonly Call[]): (prompt: Options["prompt"]) => Move {
  return (prompt) => {
    const last = prompt.at(-1);
    if (last?.role !== "tool") return calls;
    const text = JSON.stringify(last.content);
    // The digest of a reference may show the line, too; it is not to be relied on.
    if (text.includes("<knowledge ")) return [{ toolName: SEARCH.name, input: SEARCH.input }];
    return text.includes(NEEDED) ? `It says: ${NEEDED}` : "I found nothing.";
  };
}

interface Finished<M> {
  readonly response: PromiseLike<{ readonly messages: M[] }> | { readonly messages: M[] };
}

/** The messages of all steps, which version 7 has in a field of its own. */
export async function messagesOf<M>(result: Finished<M>): Promise<M[]> {
  const { responseMessages } = result as { responseMessages?: M[] | PromiseLike<M[]> };
  return (await responseMessages) ?? (await result.response).messages;
}
