// Genkit with a tool that answers with 200 kB: one line more than without offloading. Genkit's own mock
// model plays the model, so that this runs offline.

import assert from "node:assert/strict";
import { offloadMiddleware } from "context-offload/genkit";
import { genkit, z } from "genkit";
import { LOG_TOOL, makeLog, QUESTION } from "../../examples/local-model/log-tool.mjs";
import { makeTempFolder } from "../../examples/local-model/temp-folder.mjs";
import { scriptedModel } from "./scripted-model.mjs";

const ai = genkit({});
const { log, requestId } = makeLog();
const { name, description } = LOG_TOOL;
const inputSchema = z.object({ service: z.string() });
const fetchLog = ai.defineTool({ name, description, inputSchema }, async () => log);

const { model, prompts } = scriptedModel(
  ai,
  [{ ref: "call-1", name, input: { service: "checkout-api" } }],
  [{ ref: "call-2", name: "read_stored", input: { pattern: "\\bERROR\\b" } }],
  (last) => {
    const [, id, reason] = /ERROR .*?request_id=(\S+) ([\w -]*)/.exec(last) ?? [];
    return `Request ${id} failed: ${reason}.`;
  },
);

const { text, messages } = await ai.generate({
  model,
  prompt: QUESTION,
  tools: [fetchLog],
  use: [offloadMiddleware({ root: makeTempFolder(), sessionId: "chat-1" })],
});

// The model found the line, and the log itself was neither sent nor saved.
assert.match(text, new RegExp(requestId));
assert.ok(prompts.every((prompt) => prompt.length < log.length / 10));
assert.ok(JSON.stringify(messages).length < log.length / 10);
console.log(text);
