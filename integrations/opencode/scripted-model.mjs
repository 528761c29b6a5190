// A model's API on this machine, as far as OpenCode needs it: OpenAI Chat Completions, streamed. A
// script plays the model.

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
      const { messages = [], tools = [] } = body === "" ? {} : JSON.parse(body);
      // OpenCode also asks for titles, without tools.
      const isTurn = tools.length > 0;
      if (isTurn) requests.push({ body, tools });
      const results = messages
        .filter((/** @type {{ role: string }} */ { role }) => role === "tool")
        .map((/** @type {{ content: unknown }} */ { content }) => textOf(content));
      const asked = messages.find((/** @type {{ role: string }} */ { role }) => role === "user");
      const question = textOf(asked?.content ?? "");
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const chunk of streamOf(isTurn ? script(results, question) : { say: "A title" })) {
        response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      }
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

/** @param {Move} move */
function* streamOf(move) {
  const about = {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 0,
    model: "scripted",
  };
  const calls = Array.isArray(move) ? move : [];
  const delta = Array.isArray(move)
    ? {
        tool_calls: calls.map(({ name, input, id }, index) => ({
          ...{ index, id, type: "function" },
          function: { name, arguments: JSON.stringify(input) },
        })),
      }
    : { content: move.say };
  const choice = { index: 0, finish_reason: null };
  yield { ...about, choices: [{ ...choice, delta: { role: "assistant", ...delta } }] };
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  yield { ...about, choices: [{ index: 0, delta: {}, finish_reason }] };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  yield { ...about, choices: [], usage };
}
