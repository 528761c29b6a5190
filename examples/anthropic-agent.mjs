// An agent on the Anthropic SDK whose tool answers with 200 kB, of which the model reads one line.

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { createOffloader } from "context-offload";
import { LOG_TOOL, makeLog, QUESTION } from "./local-model/log-tool.mjs";
import { printSummary } from "./local-model/print-summary.mjs";
import { startLocalModel } from "./local-model/server.mjs";
import { makeTempFolder } from "./local-model/temp-folder.mjs";

/** @typedef {Anthropic.MessageParam} Message */

// Replaces the vendor's API, so that this runs offline; it checks requests as the vendor does.
const localModel = await startLocalModel();
const client = new Anthropic({ baseURL: localModel.url, apiKey: "none" });
const { log, requestId } = makeLog();

const offloader = createOffloader({
  root: makeTempFolder(),
  sessionId: "session-1",
  format: "anthropic",
});

/** @type {Anthropic.Tool[]} */
const tools = [
  { name: LOG_TOOL.name, description: LOG_TOOL.description, input_schema: LOG_TOOL.schema },
  // With these the model reads what was offloaded.
  ...offloader.tools(),
];

/** @type {Message[]} */
const history = [{ role: "user", content: QUESTION }];
let answer = "";
let charsSaved = 0;
while (answer === "") {
  // Every turn, with the whole history: what was offloaded before is not written again.
  const { messages, report } = await offloader.offload(history);
  charsSaved += report.totals.charsSaved;
  const { content } = await client.messages.create({
    model: "local-model",
    max_tokens: 1_024,
    system: offloader.systemPrompt(),
    tools,
    messages,
  });
  history.push({ role: "assistant", content });
  const calls = content.filter((block) => block.type === "tool_use");
  if (calls.length > 0) history.push({ role: "user", content: await Promise.all(calls.map(run)) });
  else answer = content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** @param {Anthropic.ToolUseBlock} call @returns {Promise<Anthropic.ToolResultBlockParam>} */
async function run(call) {
  if (call.name === LOG_TOOL.name)
    return { type: "tool_result", tool_use_id: call.id, content: log };
  return offloader.handleToolCall(call);
}

// The model found the line, the log itself was never sent, and nothing is lost.
assert.match(answer, new RegExp(requestId));
assert.ok(localModel.requests.every(({ bytes }) => bytes < log.length / 10));
const { messages } = await offloader.offload(history);
assert.notDeepEqual(messages, history);
assert.deepEqual(await offloader.restore(messages), history);
printSummary({ question: QUESTION, answer, log, requests: localModel.requests, charsSaved });
