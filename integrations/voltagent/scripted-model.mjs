import { simulateReadableStream } from "ai";
import { MockLanguageModelV3 } from "ai/test";

/**
 * @typedef {{ toolCallId: string, toolName: string, input: unknown }} ToolCall
 * @typedef {ToolCall[] | ((last: string) => string)} Turn
 *   What the model does in one request: calls of tools, or a text made from the last message.
 * @typedef {Parameters<MockLanguageModelV3["doStream"]>[0]} Request
 */

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const TEXT = /** @type {const} */ ("text");
const CALL = /** @type {const} */ ("tool-call");

/**
 * The AI SDK's mock model, playing one turn for each request, and what each request held.
 *
 * @param {Turn[]} turns
 */
export function scriptedModel(...turns) {
  return playedModel((_, at) => turns[at] ?? (() => "Done."));
}

/**
 * The same for turns that are made when their request comes.
 *
 * @param {(prompt: readonly { role: string }[], at: number) => Turn} next
 */
export function playedModel(next) {
  /** @type {string[]} */
  const prompts = [];
  /** @type {string[][]} */
  const offered = [];

  /** @param {Request} request */
  const play = ({ prompt, tools = [] }) => {
    const turn = next(prompt, prompts.length);
    prompts.push(JSON.stringify(prompt));
    offered.push(tools.map(({ name }) => name));
    const unified = /** @type {"stop" | "tool-calls"} */ (
      typeof turn === "function" ? "stop" : "tool-calls"
    );
    const content =
      typeof turn === "function"
        ? [{ type: TEXT, text: turn(JSON.stringify(prompt.at(-1))) }]
        : turn.map(({ input, ...call }) => ({ type: CALL, ...call, input: JSON.stringify(input) }));
    return { content, finishReason: { unified, raw: unified }, usage: USAGE, warnings: [] };
  };

  const model = new MockLanguageModelV3({
    doGenerate: async (request) => play(request),
    doStream: async (request) => {
      const { content, finishReason, usage } = play(request);
      /** @type {import("@ai-sdk/provider").LanguageModelV3StreamPart[]} */
      const chunks = [{ type: "stream-start", warnings: [] }];
      for (const part of content) {
        if (part.type === CALL) chunks.push(part);
        else {
          chunks.push({ type: "text-start", id: "text" });
          chunks.push({ type: "text-delta", id: "text", delta: part.text });
          chunks.push({ type: "text-end", id: "text" });
        }
      }
      chunks.push({ type: "finish", finishReason, usage });
      return { stream: simulateReadableStream({ chunks }) };
    },
  });
  return { model, prompts, offered };
}
