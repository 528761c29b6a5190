import { mockModel } from "genkit/testing";

/**
 * @typedef {{ ref?: string, name: string, input: unknown }} ToolCall
 * @typedef {ToolCall[] | ((last: string) => string)} Turn
 *   What the model does in one request: calls of tools, or a text made from the last message.
 */

/**
 * Genkit's mock model, playing one turn for each request, and what each request held.
 *
 * @param {import("genkit").Genkit} ai
 * @param {Turn[]} turns
 */
export function scriptedModel(ai, ...turns) {
  return playedModel(ai, (_, at) => turns[at] ?? (() => "Done."));
}

/**
 * The same for turns that are made when their request comes.
 *
 * @param {import("genkit").Genkit} ai
 * @param {(messages: readonly import("genkit").MessageData[], at: number) => Turn} next
 */
export function playedModel(ai, next) {
  /** @type {string[]} */
  const prompts = [];
  /** @type {string[][]} */
  const offered = [];
  const model = mockModel(ai, {
    name: `scripted-${models++}`,
    info: { supports: { tools: true } },
    respond: ({ messages, tools = [] }, { sendChunk }) => {
      const turn = next(messages, prompts.length);
      prompts.push(JSON.stringify(messages));
      offered.push(tools.map(({ name }) => name));
      if (typeof turn !== "function") return { toolRequests: turn };
      const text = turn(JSON.stringify(messages.at(-1)));
      sendChunk(text);
      return text;
    },
  });
  return { model, prompts, offered };
}

/** Names of models are unique. */
let models = 0;
