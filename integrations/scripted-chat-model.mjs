// A model's API on this machine: OpenAI Chat Completions, streamed or whole. A script plays the model.

import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/**
 * @typedef {{ name: string, input: object, id: string }} Call
 * @typedef {Call[] | { say: string }} Move
 *
 * @param {(results: readonly string[], question: string) => Move} script
 *   What the model does after this first message and these tool results.
 */
export async function startScriptedModel(script) {
  /** @type {{ body: string, tools: any[] }[]} */
  const requests = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { messages = [], tools = [], stream } = body === "" ? {} : JSON.parse(body);
      // Agents also ask for titles, without tools.
      const isTurn = tools.length > 0;
      if (isTurn) requests.push({ body, tools });
      const results = messages
        .filter((/** @type {{ role: string }} */ { role }) => role === "tool")
        .map((/** @type {{ content: unknown }} */ { content }) => textOf(content));
      const asked = messages.find((/** @type {{ role: string }} */ { role }) => role === "user");
      const question = textOf(asked?.content ?? "");
      const move = isTurn ? script(results, question) : { say: "A title" };
      if (!stream) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(completionOf(move)));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const chunk of chunksOf(move)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      response.end("data: [DONE]\n\n");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}/v1`, requests, close: () => server.close() };
}

/** @param {unknown} content */
function textOf(content) {
  return typeof content === "string"
    ? content
    : /** @type {{ text?: string }[]} */ (content).map(({ text = "" }) => text).join("\n");
}

const ABOUT = { id: "chatcmpl-1", created: 0, model: "scripted" };
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** @param {Move} move */
function messageOf(move) {
  if (!Array.isArray(move)) return { role: "assistant", content: move.say };
  const tool_calls = move.map(({ name, input, id }, index) => ({
    ...{ index, id, type: "function" },
    function: { name, arguments: JSON.stringify(input) },
  }));
  return { role: "assistant", content: null, tool_calls };
}

/** @param {Move} move */
const reasonOf = (move) => (Array.isArray(move) ? "tool_calls" : "stop");

/** @param {Move} move */
function completionOf(move) {
  const choice = { index: 0, message: messageOf(move), finish_reason: reasonOf(move) };
  return { ...ABOUT, object: "chat.completion", choices: [choice], usage: USAGE };
}

/** @param {Move} move */
function* chunksOf(move) {
  const about = { ...ABOUT, object: "chat.completion.chunk" };
  yield { ...about, choices: [{ index: 0, delta: messageOf(move), finish_reason: null }] };
  yield { ...about, choices: [{ index: 0, delta: {}, finish_reason: reasonOf(move) }] };
  yield { ...about, choices: [], usage: USAGE };
}
