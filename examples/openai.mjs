// Two agents on the OpenAI SDK, on Chat Completions and on Responses, whose tool answers with 200 kB.

import assert from "node:assert/strict";
import OpenAI from "openai";
import { offloadResponses, offloadTools } from "context-offload/openai";
import { LOG_TOOL, makeLog, QUESTION } from "./local-model/log-tool.mjs";
import { startLocalModel } from "./local-model/server.mjs";
import { makeTempFolder } from "./local-model/temp-folder.mjs";

// Replaces the vendor's API, so that this runs offline; it checks requests as the vendor does.
const localModel = await startLocalModel();
const client = new OpenAI({ baseURL: `${localModel.url}/v1`, apiKey: "none" });
const { log, requestId } = makeLog();
const { name, description, schema: parameters } = LOG_TOOL;
const options = { root: makeTempFolder(), sessionId: "chat-1" };
const model = "local-model";

// Chat Completions: the SDK runs the loop.
const runner = client.chat.completions.runTools({
  model,
  messages: [{ role: "user", content: QUESTION }],
  tools: offloadTools(
    [{ type: "function", function: { name, description, parameters, function: () => log } }],
    options,
  ),
});
const answer = await runner.finalContent();

// Responses: the loop is yours.
const offload = offloadResponses({ [name]: () => log }, { ...options, sessionId: "chat-2" });
/** @type {OpenAI.Responses.FunctionTool} */
const fetchLog = { type: "function", name, description, parameters, strict: true };
const tools = [fetchLog, ...offload.tools];
/** @type {OpenAI.Responses.ResponseInputItem[]} */
const input = [{ role: "user", content: QUESTION }];
let text = "";
while (text === "") {
  const { instructions } = offload;
  const body = { model, input, tools, instructions, store: false };
  const response = await client.responses.create(body);
  // By their types, not every output item is an input item; those that this model sends are.
  // A call of a reasoning model is refused without its reasoning.
  const items = response.output.filter(
    (item) => item.type === "message" || item.type === "reasoning" || item.type === "function_call",
  );
  input.push(...items);
  input.push(...(await offload.answer(response)));
  text = response.output_text;
}

// The model found the line, and the log itself was never sent.
for (const found of [answer ?? "", text]) assert.match(found, new RegExp(requestId));
assert.equal(localModel.requests.length, 6);
assert.ok(localModel.requests.every(({ bytes }) => bytes < log.length / 10));
console.log(text);
