// An agent on Strands whose tool answers with 200 kB: one line more than without offloading. A scripted
// model plays the model, so that this runs offline.

import assert from "node:assert/strict";
import * as strands from "@strands-agents/sdk";
import { offloadPlugin } from "context-offload/strands";
import { z } from "zod";
import { LOG_TOOL, makeLog, QUESTION } from "../../examples/local-model/log-tool.mjs";
import { makeTempFolder } from "../../examples/local-model/temp-folder.mjs";
import { ScriptedModel } from "./scripted-model.mjs";

const { log, requestId } = makeLog();
const { name, description } = LOG_TOOL;
const inputSchema = z.object({ service: z.string() });
const fetchLog = strands.tool({ name, description, inputSchema, callback: () => log });

const model = new ScriptedModel(
  [{ toolUseId: "call-1", name, input: { service: "checkout-api" } }],
  [{ toolUseId: "call-2", name: "read_stored", input: { pattern: "\\bERROR\\b" } }],
  (last) => {
    const [, id, reason] = /ERROR .*?request_id=(\S+) ([\w -]*)/.exec(last) ?? [];
    return `Request ${id} failed: ${reason}.`;
  },
);

const agent = new strands.Agent({
  model,
  tools: [fetchLog],
  plugins: [offloadPlugin(strands, { root: makeTempFolder() })],
  printer: false,
});
const answer = String(await agent.invoke(QUESTION));

// The model found the line, and the log itself was neither sent nor saved.
assert.match(answer, new RegExp(requestId));
assert.ok(model.prompts.every((prompt) => prompt.length < log.length / 10));
assert.ok(JSON.stringify(agent.messages).length < log.length / 10);
console.log(answer);
