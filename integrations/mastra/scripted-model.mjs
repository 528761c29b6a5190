import { MastraLanguageModelV2Mock } from "@mastra/core/test-utils/llm-mock";

/**
 * @typedef {{ toolCallId: string, toolName: string, input: unknown }} ToolCall
 * @typedef {ToolCall[] | ((last: string) => string)} Turn
 *   What the model does in one request: calls of tools, or a text made from the last message.
 * @typedef {{ prompt: readonly { role: string }[], tools?: readonly { name: string }[] }} Request
 */

const USAGE = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/**
 * The framework's mock model, playing one turn for each request, and what each request held.
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
    return typeof turn === "function"
      ? { text: turn(JSON.stringify(prompt.at(-1))), calls: [], finishReason: STOP }
      : { text: "", calls: turn.map(callPart), finishReason: CALLS };
  };

  const mock = new MastraLanguageModelV2Mock({
    doGenerate: async (request) => {
      const { text, calls, finishReason } = play(request);
      const content = [...calls, ...(text === "" ? [] : [{ type: TEXT, text }])];
      return { content, finishReason, usage: USAGE, warnings: [] };
    },
    doStream: async (request) => {
      const { text, calls, finishReason } = play(request);
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue({ type: "stream-start", warnings: [] });
          for (const call of calls) controller.enqueue(call);
          if (text !== "") {
            controller.enqueue({ type: "text-start", id: "text" });
            controller.enqueue({ type: "text-delta", id: "text", delta: text });
            controller.enqueue({ type: "text-end", id: "text" });
          }
          controller.enqueue({ type: "finish", finishReason, usage: USAGE });
          controller.close();
        },
      });
      return { stream };
    },
  });
  // With exact optional properties, the mock does not fit the framework's own type of a model.
  const model = /** @type {import("@mastra/core/llm").MastraModelConfig} */ (
    /** @type {unknown} */ (mock)
  );
  return { model, prompts, offered };
}

const TEXT = /** @type {const} */ ("text");
const STOP = /** @type {const} */ ("stop");
const CALLS = /** @type {const} */ ("tool-calls");

/** @param {ToolCall} call */
function callPart({ toolCallId, toolName, input }) {
  const type = /** @type {const} */ ("tool-call");
  return { type, toolCallId, toolName, input: JSON.stringify(input) };
}
