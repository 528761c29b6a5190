/** Runs in an empty folder in which nothing but the packed package is installed. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import {
  ContextOffloadError,
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
assert.equal(DEFAULTS.charThreshold, 100);
console.log(`ok on Node ${process.versions.node}`);
