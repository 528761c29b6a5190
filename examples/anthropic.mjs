// An agent on the Anthropic SDK whose tool answers with 200 kB: one line more than without offloading.

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { offloadRequests } from "context-offload/anthropic";
import { LOG_TOOL, makeLog, QUESTION } from "./local-model/log-tool.mjs";
import { startLocalModel } from "./local-model/server.mjs";
import { makeTempFolder } from "./local-model/temp-folder.mjs";

// Replaces the vendor's API, so that this runs offline; it checks requests as the vendor does.
const localModel = await startLocalModel();
const { log, requestId } = makeLog();

const client = new Anthropic({
  baseURL: localModel.url,
  apiKey: "none",
  middleware: [offloadRequests({ root: makeTempFolder() })],
});

/** @type {Anthropic.Tool[]} */
const tools = [
  { name: LOG_TOOL.name, description: LOG_TOOL.description, input_schema: LOG_TOOL.schema },
];

/** @type {Anthropic.MessageParam[]} */
const messages = [{ role: "user", content: QUESTION }];
let answer = "";
while (answer === "") {
  const request = { model: "local-model", max_tokens: 1_024, tools, messages };
  const { content } = await client.messages.create(request);
  messages.push({ role: "assistant", content });
  const calls = content.filter((block) => block.type === "tool_use");
  if (calls.length === 0)
    answer = content.map((block) => ("text" in block ? block.text : "")).join("");
  messages.push({
    role: "user",
    content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: log })),
  });
}

// The model found the line, the log itself was never sent, and the host's messages still have it.
assert.match(answer, new RegExp(requestId));
assert.ok(localModel.requests.every(({ bytes }) => bytes < log.length / 10));
assert.ok(JSON.stringify(messages).includes(requestId));
console.log(answer);
