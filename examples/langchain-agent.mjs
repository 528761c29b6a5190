// An agent on LangChain's messages and chat model whose tool answers with 200 kB, of which the model
// reads one line.

import assert from "node:assert/strict";
import { HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { createOffloader } from "context-offload";
import { LOG_TOOL, makeLog, QUESTION } from "./local-model/log-tool.mjs";
import { printSummary } from "./local-model/print-summary.mjs";
import { startLocalModel } from "./local-model/server.mjs";
import { makeTempFolder } from "./local-model/temp-folder.mjs";

/**
 * @typedef {import("@langchain/core/messages").BaseMessage} Message
 * @typedef {import("@langchain/core/messages").ToolCall} ToolCall
 */

// Replaces the vendor's API, so that this runs offline; it checks requests as the vendor does.
const localModel = await startLocalModel();
const { log, requestId } = makeLog();

const offloader = createOffloader({
  root: makeTempFolder(),
  sessionId: "session-1",
  format: "langchain",
});

const model = new ChatOpenAI({
  model: "local-model",
  apiKey: "none",
  configuration: { baseURL: `${localModel.url}/v1` },
}).bindTools([
  LOG_TOOL,
  // With these the model reads what was offloaded.
  ...offloader.tools(),
]);

/** @type {Message[]} */
const history = [new SystemMessage(offloader.systemPrompt()), new HumanMessage(QUESTION)];
let answer = "";
let charsSaved = 0;
while (answer === "") {
  // Every turn, with the whole history: what was offloaded before is not written again.
  const { messages, report } = await offloader.offload(history);
  charsSaved += report.totals.charsSaved;
  const message = await model.invoke(messages);
  history.push(message);
  const calls = message.tool_calls ?? [];
  if (calls.length > 0) history.push(...(await Promise.all(calls.map(run))));
  else answer = message.text;
}

/** @param {ToolCall} call @returns {Promise<Message>} */
async function run(call) {
  if (call.name === LOG_TOOL.name) {
    return new ToolMessage({ content: log, tool_call_id: call.id ?? "", name: call.name });
  }
  return new ToolMessage(await offloader.handleToolCall(call));
}

// The model found the line, the log itself was never sent, and nothing is lost.
assert.match(answer, new RegExp(requestId));
assert.ok(localModel.requests.every(({ bytes }) => bytes < log.length / 10));
const { messages } = await offloader.offload(history);
assert.notDeepEqual(messages, history);
const restored = await offloader.restore(messages);
assert.deepEqual(restored, history);
assert.ok(restored.every((message, at) => message.constructor === history[at]?.constructor));
printSummary({ question: QUESTION, answer, log, requests: localModel.requests, charsSaved });
