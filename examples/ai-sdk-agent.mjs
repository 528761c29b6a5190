// An agent on the AI SDK whose tool answers with 200 kB, of which the model reads one line. The SDK
// runs the loop and the tools; `prepareStep` is the place for the offloader.

import assert from "node:assert/strict";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { createOffloader } from "context-offload";
import { LOG_TOOL, makeLog, QUESTION } from "./local-model/log-tool.mjs";
import { printSummary } from "./local-model/print-summary.mjs";
import { startLocalModel } from "./local-model/server.mjs";
import { makeTempFolder } from "./local-model/temp-folder.mjs";

/** @typedef {import("ai").ModelMessage} Message */

// Replaces the vendor's API, so that this runs offline; it checks requests as the vendor does.
const localModel = await startLocalModel();
const provider = createOpenAICompatible({ name: "local", baseURL: `${localModel.url}/v1` });
const { log, requestId } = makeLog();

const offloader = createOffloader({
  root: makeTempFolder(),
  sessionId: "session-1",
  format: "ai-sdk",
});

const fetchLog = tool({
  description: LOG_TOOL.description,
  inputSchema: jsonSchema(LOG_TOOL.schema),
  execute: () => Promise.resolve(log),
});

/** @type {Message[]} */
const prompt = [{ role: "user", content: QUESTION }];
let charsSaved = 0;
const { text: answer, response } = await generateText({
  model: provider("local-model"),
  system: offloader.systemPrompt(),
  messages: prompt,
  // With the offloader's tools the model reads what was offloaded. The SDK runs them like any others.
  tools: { [LOG_TOOL.name]: fetchLog, ...offloader.tools() },
  stopWhen: stepCountIs(10),
  // Before every step, with the whole history: what was offloaded before is not written again.
  prepareStep: async ({ messages: all }) => {
    const { messages, report } = await offloader.offload(all);
    charsSaved += report.totals.charsSaved;
    return { messages };
  },
});
const history = [...prompt, ...response.messages];

// The model found the line, the log itself was never sent, and nothing is lost.
assert.match(answer, new RegExp(requestId));
assert.ok(localModel.requests.every(({ bytes }) => bytes < log.length / 10));
const { messages } = await offloader.offload(history);
assert.notDeepEqual(messages, history);
assert.deepEqual(await offloader.restore(messages), history);
printSummary({ question: QUESTION, answer, log, requests: localModel.requests, charsSaved });
