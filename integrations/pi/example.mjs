// An agent on pi whose tool answers with 200 kB: one call more than without offloading. pi's own fake
// provider plays the model, so that this runs offline.

import assert from "node:assert/strict";
import { Agent } from "@mariozechner/pi-agent-core";
import { fauxAssistantMessage, fauxToolCall, registerFauxProvider } from "@mariozechner/pi-ai";
import { offloadAgent } from "context-offload/pi";
import { LOG_TOOL, makeLog, QUESTION } from "../../examples/local-model/log-tool.mjs";
import { makeTempFolder } from "../../examples/local-model/temp-folder.mjs";

const { log, requestId } = makeLog();
const { name, description, schema: parameters } = LOG_TOOL;
const type = /** @type {const} */ ("text");
const fetchLog = {
  ...{ name, label: "Fetch log", description, parameters },
  execute: async () => ({ content: [{ type, text: log }], details: {} }),
};

const faux = registerFauxProvider();
const stopReason = /** @type {const} */ ("toolUse");
/** @type {number[]} */
const sizes = [];
faux.setResponses([
  fauxAssistantMessage(fauxToolCall(name, { service: "checkout-api" }), { stopReason }),
  fauxAssistantMessage(fauxToolCall("read_stored", { pattern: "\\bERROR\\b" }), { stopReason }),
  ({ messages }) => {
    sizes.push(JSON.stringify(messages).length);
    const last = JSON.stringify(messages.at(-1));
    const [, id, reason] = /ERROR .*?request_id=(\S+) ([\w -]*)/.exec(last) ?? [];
    return fauxAssistantMessage(`Request ${id} failed: ${reason}.`);
  },
]);

const agent = new Agent(
  offloadAgent(
    {
      initialState: {
        systemPrompt: "Answer questions about logs.",
        model: faux.getModel(),
        tools: [fetchLog],
      },
      sessionId: "chat-1",
    },
    { root: makeTempFolder() },
  ),
);
await agent.prompt(QUESTION);

// The model found the line, and the log itself was neither sent nor saved.
const saved = JSON.stringify(agent.state.messages);
const answer = JSON.stringify(agent.state.messages.at(-1));
assert.match(answer, new RegExp(requestId));
assert.ok(sizes.every((chars) => chars < log.length / 10));
assert.ok(saved.length < log.length / 10);
console.log(/Request .*?\./.exec(answer)?.[0]);
