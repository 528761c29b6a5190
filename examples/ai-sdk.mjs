// An agent on the AI SDK whose tool answers with 200 kB: one line more than without offloading.

import assert from "node:assert/strict";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { offloadTools } from "context-offload/ai-sdk";
import { LOG_TOOL, makeLog, QUESTION } from "./local-model/log-tool.mjs";
import { startLocalModel } from "./local-model/server.mjs";
import { makeTempFolder } from "./local-model/temp-folder.mjs";

// Replaces the vendor's API, so that this runs offline; it checks requests as the vendor does.
const localModel = await startLocalModel();
const provider = createOpenAICompatible({ name: "local", baseURL: `${localModel.url}/v1` });
const { log, requestId } = makeLog();

const fetch_log = tool({
  description: LOG_TOOL.description,
  inputSchema: jsonSchema(LOG_TOOL.schema),
  execute: () => Promise.resolve(log),
});

const { text, steps } = await generateText({
  model: provider("local-model"),
  prompt: QUESTION,
  tools: offloadTools({ fetch_log }, { root: makeTempFolder(), sessionId: "chat-1" }),
  stopWhen: stepCountIs(10),
});

// The model found the line, the log itself was never sent, and the host still has all of it.
assert.match(text, new RegExp(requestId));
assert.ok(localModel.requests.every(({ bytes }) => bytes < log.length / 10));
assert.equal(steps[0]?.toolResults[0]?.output, log);
console.log(text);
