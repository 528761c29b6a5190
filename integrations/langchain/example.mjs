// An agent on LangChain whose tool answers with 200 kB: one line more than without offloading. The
// framework's own fake model plays the model, so that this runs offline.

import assert from "node:assert/strict";
import { MemorySaver } from "@langchain/langgraph";
import { offloadMiddleware } from "context-offload/langchain";
import { AIMessage, createAgent, fakeModel, HumanMessage, tool } from "langchain";
import { z } from "zod";
import { LOG_TOOL, makeLog, QUESTION } from "../../examples/local-model/log-tool.mjs";
import { makeTempFolder } from "../../examples/local-model/temp-folder.mjs";

const { log, requestId } = makeLog();
const { name, description } = LOG_TOOL;
const fetchLog = tool(() => log, { name, description, schema: z.object({ service: z.string() }) });

const model = fakeModel()
  .respondWithTools([{ name, args: { service: "checkout-api" }, id: "call-1" }])
  .respondWithTools([{ name: "read_stored", args: { pattern: "\\bERROR\\b" }, id: "call-2" }])
  .respond((messages) => {
    const [, id, reason] = /ERROR .*?request_id=(\S+) (.*)/.exec(messages.at(-1)?.text ?? "") ?? [];
    return new AIMessage(`Request ${id} failed: ${reason}.`);
  });

const agent = createAgent({
  model,
  tools: [fetchLog],
  checkpointer: new MemorySaver(),
  middleware: [offloadMiddleware({ root: makeTempFolder() })],
});
const { messages } = await agent.invoke(
  { messages: [new HumanMessage(QUESTION)] },
  { configurable: { thread_id: "thread-1" } },
);

// The model found the line, and the log itself was neither sent nor saved.
const answer = messages.at(-1)?.text ?? "";
assert.match(answer, new RegExp(requestId));
assert.ok(model.calls.every((call) => JSON.stringify(call.messages).length < log.length / 10));
assert.ok(JSON.stringify(messages).length < log.length / 10);
console.log(answer);
