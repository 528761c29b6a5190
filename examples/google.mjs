// An agent on the Gen AI SDK, whose automatic function calling runs the loop and whose tool answers with 200 kB.

import assert from "node:assert/strict";
import { GoogleGenAI } from "@google/genai";
import { offloadCallable } from "context-offload/google";
import { LOG_TOOL, makeLog, QUESTION } from "./local-model/log-tool.mjs";
import { startLocalModel } from "./local-model/server.mjs";
import { makeTempFolder } from "./local-model/temp-folder.mjs";

// Replaces the vendor's API, so that this runs offline; it checks requests as the vendor does.
const localModel = await startLocalModel();
const ai = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: localModel.url } });
const { log, requestId } = makeLog();

/** @type {import("@google/genai").CallableTool} */
const logs = {
  async tool() {
    const { name, description, schema } = LOG_TOOL;
    return { functionDeclarations: [{ name, description, parametersJsonSchema: schema }] };
  },
  async callTool(calls) {
    return calls.map(({ id = "", name = "" }) => ({
      functionResponse: { id, name, response: { output: log } },
    }));
  },
};

const { text = "" } = await ai.models.generateContent({
  model: "local-model",
  contents: QUESTION,
  config: { tools: [offloadCallable(logs, { root: makeTempFolder(), sessionId: "chat-1" })] },
});

// The model found the line, and the log itself was never sent.
assert.match(text, new RegExp(requestId));
assert.equal(localModel.requests.length, 3);
assert.ok(localModel.requests.every(({ bytes }) => bytes < log.length / 10));
console.log(text);
