/** Runs in an empty folder in which nothing but the packed package is installed. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import {
  ContextOffloadError,
  createOffloader,
  createToolResultOffload,
  createWorkspace,
  DEFAULTS,
  offloadToolResult,
  offloadToolResults,
  readOffloadedFile,
} from "context-offload";

const content = `first line\r\n${"measured \ud800 value\n".repeat(200)}`;
const result = { type: "tool_result", tool_use_id: "toolu_01", content, is_error: true };

const direct = await offloadToolResult(
  { role: "user", content: [result] },
  { sessionId: "smoke", outputDir: "direct" },
);
assert.equal(await readOffloadedFile(direct.file), content);
assert.match(JSON.stringify(direct.message), /Tool result offloaded to file: /);

const history = await offloadToolResults([{ role: "user", content: [result] }], {
  outputDir: "history",
});
assert.equal(history.offloadedCount, 1);
assert.equal(await readOffloadedFile(history.files[0] ?? ""), content);
assert.deepEqual(await readdir("history"), ["tool-result-toolu_01.md"]);

await assert.rejects(offloadToolResults([], { outputDir: "" }), (error) => {
  assert.ok(ContextOffloadError.isInstance(error));
  assert.equal(error.code, "INVALID_ARGUMENT");
  return true;
});

const workspace = createWorkspace({ root: "workspace" });
const log = "all is well\n".repeat(6_000) + "ERROR disk \u{1f4a5} full\n";
const op = createToolResultOffload({ workspace, tokenThreshold: 1_000 });
const offloaded = await op.process({ toolCallId: "t1", toolName: "bash", content: log });
assert.match(String(offloaded.content), /^<knowledge_list>/);
const found = await workspace.grepKnowledge("t1", "ERROR \\w+");
assert.match(found.text, /^6001:ERROR disk/);
const lines = await workspace.getKnowledgeByLines("t1", 5_999, 6_001);
assert.equal(lines.text.split("\n").length, 3);
assert.equal(await workspace.getOriginal("t1"), log);
assert.deepEqual((await workspace.verify()).damaged, []);

const offloader = createOffloader({ workspace, sessionId: "smoke" });
const conversation = [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "c1", content: log },
];
const { messages, report } = await offloader.offload(conversation);
assert.equal(report.totals.offloaded, 1);
assert.deepEqual(await offloader.restore(messages), conversation);
const { formatSuite } = await import("context-offload/testing");
assert.equal(typeof formatSuite, "function");
assert.equal(DEFAULTS.charThreshold, 100);
console.log(`ok on Node ${process.versions.node}`);
