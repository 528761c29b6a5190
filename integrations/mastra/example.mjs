// An agent on Mastra whose tool answers with 200 kB: one line more than without offloading. The
// framework's own mock model plays the model, so that this runs offline.

import assert from "node:assert/strict";
import { Agent } from "@mastra/core/agent";
import { MockMemory } from "@mastra/core/memory";
import { createTool } from "@mastra/core/tools";
import { offloadProcessor } from "context-offload/mastra";
import { z } from "zod";
import { LOG_TOOL, makeLog, QUESTION } from "../../examples/local-model/log-tool.mjs";
import { makeTempFolder } from "../../examples/local-model/temp-folder.mjs";
import { scriptedModel } from "./scripted-model.mjs";

const { log, requestId } = makeLog();
const { name, description } = LOG_TOOL;
const inputSchema = z.object({ service: z.string() });
const fetchLog = createTool({ id: name, description, inputSchema, execute: async () => log });

const { model, prompts } = scriptedModel(
  [{ toolCallId: "call-1", toolName: name, input: { service: "checkout-api" } }],
  [{ toolCallId: "call-2", toolName: "read_stored", input: { pattern: "\\bERROR\\b" } }],
  (last) => {
    const [, id, reason] = /ERROR .*?request_id=(\S+) ([\w -]*)/.exec(last) ?? [];
    return `Request ${id} failed: ${reason}.`;
  },
);

const memory = new MockMemory();
const agent = new Agent({
  id: "analyst",
  name: "Analyst",
  instructions: "Answer questions about logs.",
  model,
  tools: { [name]: fetchLog },
  memory,
  inputProcessors: [offloadProcessor({ root: makeTempFolder() })],
});
const { text } = await agent.generate(QUESTION, {
  memory: { thread: "thread-1", resource: "user-1" },
});

// The model found the line and was never sent the log, which the memory keeps whole.
assert.match(text, new RegExp(requestId));
assert.ok(prompts.every((prompt) => prompt.length < log.length / 10));
const saved = JSON.stringify(await memory.recall({ threadId: "thread-1" }));
assert.ok(saved.includes(JSON.stringify(log)));
console.log(text);
