// An agent on the Copilot SDK whose tool answers with 200 kB: one call more than without offloading.
// Copilot's own runtime runs it, and a server on this machine plays the model, so that this runs offline.

import assert from "node:assert/strict";
import { approveAll } from "@github/copilot-sdk";
import { offloadSession } from "context-offload/copilot";
import { LOG_TOOL, makeLog, QUESTION } from "../../examples/local-model/log-tool.mjs";
import { makeTempFolder } from "../../examples/local-model/temp-folder.mjs";
import { startClient } from "./start-client.mjs";

const { log, requestId } = makeLog();
const { name, description, schema } = LOG_TOOL;
const fetchLog = { name, description, parameters: schema, handler: () => log };

const folder = makeTempFolder();
const { client, about, requests } = await startClient(folder, (results) => {
  if (results.length === 0) return [{ name, input: { service: "checkout-api" }, id: "call-1" }];
  if (results.length === 1) {
    return [{ name: "read_stored", input: { pattern: "\\bERROR\\b" }, id: "call-2" }];
  }
  const [, id, reason] = /ERROR .*?request_id=(\S+) ([\w -]*)/.exec(results.at(-1) ?? "") ?? [];
  return { say: `Request ${id} failed: ${reason}.` };
});

const session = await client.createSession(
  offloadSession(
    { ...about, tools: [fetchLog], onPermissionRequest: approveAll },
    { root: `${folder}/.offload` },
  ),
);
const answer = (await session.sendAndWait({ prompt: QUESTION }))?.data.content ?? "";
await client.stop();

// The model found the line and was never sent the log.
assert.match(answer, new RegExp(requestId));
const sizes = requests.map(({ body }) => body.length);
assert.ok(Math.max(...sizes) - Math.min(...sizes) < log.length / 10);
console.log(answer);
process.exit();
