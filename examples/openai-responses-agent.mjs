// An agent on the OpenAI SDK (Responses) whose tool answers with 200 kB, of which the model reads
// one line.

import assert from "node:assert/strict";
import OpenAI from "openai";
import { createOffloader } from "context-offload";
import { LOG_TOOL, makeLog, QUESTION } from "./local-model/log-tool.mjs";
import { printSummary } from "./local-model/print-summary.mjs";
import { startLocalModel } from "./local-model/server.mjs";
import { makeTempFolder } from "./local-model/temp-folder.mjs";

/**
 * @typedef {OpenAI.Responses.ResponseInputItem} Item
 * @typedef {OpenAI.Responses.FunctionTool} Tool
 */

// Replaces the vendor's API, so that this runs offline; it checks requests as the vendor does.
const localModel = await startLocalModel();
const client = new OpenAI({ baseURL: `${localModel.url}/v1`, apiKey: "none" });
const { log, requestId } = makeLog();

const offloader = createOffloader({
  root: makeTempFolder(),
  sessionId: "session-1",
  format: "openai-responses",
});

const { name, description, schema: parameters } = LOG_TOOL;
/** @type {Tool[]} */
const tools = [
  { type: "function", name, description, parameters, strict: true },
  // With these the model reads what was offloaded.
  ...offloader.tools(),
];

/** @type {Item[]} */
const history = [{ role: "user", content: QUESTION }];
let answer = "";
let charsSaved = 0;
while (answer === "") {
  // Every turn, with the whole history: what was offloaded before is not written again.
  const { messages, report } = await offloader.offload(history);
  charsSaved += report.totals.charsSaved;
  const response = await client.responses.create({
    model: "local-model",
    // The conversation is kept here, not on the vendor's server, so the model sees only what is sent.
    store: false,
    instructions: offloader.systemPrompt(),
    tools,
    input: messages,
  });
  // By their types, not every output item is an input item; those that this model sends are.
  const items = response.output.filter(
    (item) => item.type === "message" || item.type === "reasoning" || item.type === "function_call",
  );
  history.push(...items);
  const calls = items.filter((item) => item.type === "function_call");
  if (calls.length > 0) history.push(...(await Promise.all(calls.map(run))));
  else answer = response.output_text;
}

/** @param {OpenAI.Responses.ResponseFunctionToolCall} call @returns {Promise<Item>} */
async function run(call) {
  if (call.name === name) {
    return { type: "function_call_output", call_id: call.call_id, output: log };
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
