// An agent on the OpenAI SDK (Chat Completions) whose tool answers with 200 kB, of which the model
// reads one line.

import assert from "node:assert/strict";
import OpenAI from "openai";
import { createOffloader } from "context-offload";
import { LOG_TOOL, makeLog, QUESTION } from "./local-model/log-tool.mjs";
import { printSummary } from "./local-model/print-summary.mjs";
import { startLocalModel } from "./local-model/server.mjs";
import { makeTempFolder } from "./local-model/temp-folder.mjs";

/**
 * @typedef {OpenAI.ChatCompletionMessageParam} Message
 * @typedef {OpenAI.ChatCompletionFunctionTool} Tool
 */

// Replaces the vendor's API, so that this runs offline; it checks requests as the vendor does.
const localModel = await startLocalModel();
const client = new OpenAI({ baseURL: `${localModel.url}/v1`, apiKey: "none" });
const { log, requestId } = makeLog();

const offloader = createOffloader({
  root: makeTempFolder(),
  sessionId: "session-1",
  format: "openai-chat",
});

const { name, description, schema: parameters } = LOG_TOOL;
/** @type {Tool[]} */
const tools = [
  { type: "function", function: { name, description, parameters } },
  // With these the model reads what was offloaded.
  ...offloader.tools(),
];

/** @type {Message[]} */
const history = [
  { role: "system", content: offloader.systemPrompt() },
  { role: "user", content: QUESTION },
];
let answer = "";
let charsSaved = 0;
while (answer === "") {
  // Every turn, with the whole history: what was offloaded before is not written again.
  const { messages, report } = await offloader.offload(history);
  charsSaved += report.totals.charsSaved;
  const completion = await client.chat.completions.create({
    model: "local-model",
    tools,
    messages,
  });
  const message = completion.choices[0]?.message;
  assert.ok(message);
  history.push(message);
  const calls = message.tool_calls ?? [];
  if (calls.length > 0) history.push(...(await Promise.all(calls.map(run))));
  else answer = message.content ?? "";
}

/** @param {OpenAI.ChatCompletionMessageToolCall} call @returns {Promise<Message>} */
async function run(call) {
  if (call.type === "function" && call.function.name === name) {
    return { role: "tool", tool_call_id: call.id, content: log };
  }
  return offloader.handleToolCall(call);
}

// The model found the line, the log itself was never sent, and nothing is lost.
assert.match(answer, new RegExp(requestId));
assert.ok(localModel.requests.every(({ bytes }) => bytes < log.length / 10));
const { messages } = await offloader.offload(history);
assert.notDeepEqual(messages, history);
assert.deepEqual(await offloader.restore(messages), history);
printSummary({ question: QUESTION, answer, log, requests: localModel.requests, charsSaved });
