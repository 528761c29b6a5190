// An agent on VoltAgent whose tool answers with 200 kB: one call more than without offloading. The AI
// SDK's mock model plays the model, so that this runs offline.

import assert from "node:assert/strict";
import { Agent, createTool, InMemoryStorageAdapter, Memory } from "@voltagent/core";
import { offloadAgent } from "context-offload/voltagent";
import { z } from "zod";
import { LOG_TOOL, makeLog, QUESTION } from "../../examples/local-model/log-tool.mjs";
import { makeTempFolder } from "../../examples/local-model/temp-folder.mjs";
import { scriptedModel } from "./scripted-model.mjs";

const { log, requestId } = makeLog();
const { name, description } = LOG_TOOL;
const parameters = z.object({ service: z.string() });
const fetchLog = createTool({ name, description, parameters, execute: async () => log });

const { model, prompts } = scriptedModel(
  [{ toolCallId: "call-1", toolName: name, input: { service: "checkout-api" } }],
  [{ toolCallId: "call-2", toolName: "read_stored", input: { pattern: "\\bERROR\\b" } }],
  (last) => {
    const [, id, reason] = /ERROR .*?request_id=(\S+) ([\w -]*)/.exec(last) ?? [];
    return `Request ${id} failed: ${reason}.`;
  },
);

const memory = new Memory({ storage: new InMemoryStorageAdapter() });
const agent = new Agent(
  offloadAgent(
    { name: "Analyst", instructions: "Be brief.", model, tools: [fetchLog], memory },
    { root: makeTempFolder() },
  ),
);
const chat = { userId: "user-1", conversationId: "chat-1" };
const { text } = await agent.generateText(QUESTION, chat);

// The model found the line, and the log itself was neither sent nor saved.
assert.match(text, new RegExp(requestId));
assert.ok(prompts.every((prompt) => prompt.length < log.length / 10));
const saved = JSON.stringify(await memory.getMessages(chat.userId, chat.conversationId));
assert.ok(saved.length < log.length / 10);
console.log(text);
process.exit();
