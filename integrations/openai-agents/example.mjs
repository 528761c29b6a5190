// An agent on the OpenAI Agents SDK whose tool answers with 200 kB: one line more than without
// offloading. The SDK's own scripted model plays the model, so that this runs offline.

import assert from "node:assert/strict";
import { Agent, MemorySession, run, setTracingDisabled, tool } from "@openai/agents";
import {
  assistantMessage,
  functionCall,
  modelResponder,
  ScriptedModel,
} from "@openai/agents/testing";
import { offloadTools } from "context-offload/openai-agents";
import { z } from "zod";
import { LOG_TOOL, makeLog, QUESTION } from "../../examples/local-model/log-tool.mjs";
import { makeTempFolder } from "../../examples/local-model/temp-folder.mjs";

setTracingDisabled(true);
const { log, requestId } = makeLog();
const { name, description } = LOG_TOOL;
const parameters = z.object({ service: z.string() });
const fetchLog = tool({ name, description, parameters, execute: () => log });

const model = new ScriptedModel([
  [functionCall(name, { service: "checkout-api" }, { callId: "call-1" })],
  [functionCall("read_stored", { pattern: "\\bERROR\\b" }, { callId: "call-2" })],
  modelResponder(({ request }) => {
    const last = JSON.stringify(request.input.at(-1));
    const [, id, reason] = /ERROR .*?request_id=(\S+) ([\w -]*)/.exec(last) ?? [];
    return [assistantMessage(`Request ${id} failed: ${reason}.`)];
  }),
]);

const agent = new Agent({
  name: "Analyst",
  model,
  tools: offloadTools([fetchLog], { root: makeTempFolder(), sessionId: "chat-1" }),
});
const session = new MemorySession();
const { finalOutput = "" } = await run(agent, QUESTION, { session });

// The model found the line, and the log itself was neither sent nor saved.
assert.match(finalOutput, new RegExp(requestId));
const sizes = model.calls.map(({ request }) => JSON.stringify(request.input).length);
assert.ok(sizes.every((chars) => chars < log.length / 10));
assert.ok(JSON.stringify(await session.getItems()).length < log.length / 10);
console.log(finalOutput);
