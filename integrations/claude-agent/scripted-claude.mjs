// The vendor's API on this machine, as far as Claude Code needs it: a script plays the model.

import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/**
 * @typedef {{ call: string, input: object } | { say: string }} Move
 *
 * @param {(results: readonly string[]) => Move} script What the model does after these tool results.
 */
export async function startScriptedClaude(script) {
  /** @type {string[]} */
  let results = [];
  let count = 0;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (!request.url?.startsWith("/v1/messages")) {
        response.writeHead(404).end();
        return;
      }
      const { messages = [], model = "" } = body === "" ? {} : JSON.parse(body);
      results = listResults(messages);
      count += 1;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const events = streamOf(script(results), `msg_${count}`, model);
      response.end(
        events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    env: {
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
    get results() {
      return results;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** @param {{ content: string | { type: string, content?: unknown }[] }[]} messages */
function listResults(messages) {
  return messages
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .filter(({ type }) => type === "tool_result")
    .map(({ content }) => (typeof content === "string" ? content : blockTexts(content)));
}

/** @param {unknown} blocks */
function blockTexts(blocks) {
  return /** @type {{ text?: string }[]} */ (blocks ?? []).map(({ text = "" }) => text).join("\n");
}

/** @param {Move} move @param {string} id @param {string} model */
function streamOf(move, id, model) {
  const isCall = "call" in move;
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id, type: "message", role: "assistant", model, content: [], usage };
  const content_block = isCall
    ? { type: "tool_use", id: `toolu_${id}`, name: move.call, input: {} }
    : { type: "text", text: "" };
  const delta = isCall
    ? { type: "input_json_delta", partial_json: JSON.stringify(move.input) }
    : { type: "text_delta", text: move.say };
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: isCall ? "tool_use" : "end_turn" }, usage },
    { type: "message_stop" },
  ];
}
