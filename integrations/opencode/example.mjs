// OpenCode itself with the plugin in its opencode.json: a command prints 200 kB, and the model finds the
// line that matters in the whole of it. A server on this machine plays the model, so that this runs
// offline.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeLog, QUESTION } from "../../examples/local-model/log-tool.mjs";
import { makeTempFolder } from "../../examples/local-model/temp-folder.mjs";
import { makeProject, runOpenCode } from "./run-opencode.mjs";
import { startScriptedModel } from "../scripted-chat-model.mjs";

const { log, requestId } = makeLog();
const model = await startScriptedModel((results) => {
  if (results.length === 0) {
    const input = { command: "cat app.log", description: "Reads the log" };
    return [{ name: "bash", input, id: "call-1" }];
  }
  if (results.length === 1) {
    return [{ name: "read_stored", input: { pattern: "\\bERROR\\b" }, id: "call-2" }];
  }
  const [, id, reason] = /ERROR .*?request_id=(\S+) ([\w -]*)/.exec(results.at(-1) ?? "") ?? [];
  return { say: `Request ${id} failed: ${reason}.` };
});

const folder = join(makeTempFolder(), "project");
mkdirSync(folder);
writeFileSync(join(folder, "app.log"), log);
await makeProject(folder, model.url);
const { answer, log: printed } = await runOpenCode(folder, QUESTION);

// The model found the line, and was sent a short reference instead of what OpenCode cuts off at 50 kB.
assert.match(answer, new RegExp(requestId), printed);
const sizes = model.requests.map(({ body }) => body.length);
assert.ok(Math.max(...sizes) - Math.min(...sizes) < log.length / 10);
console.log(answer);
process.exit();
