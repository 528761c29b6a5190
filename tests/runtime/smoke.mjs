import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  ContextOffloadError,
  createOffloader,
  createToolResultOffload,
  createWorkspace,
  DEFAULTS,
  fileStore,
  memoryStore,
  offloadToolResult,
  offloadToolResults,
} from "context-offload";
import { readOffloadedFile } from "context-offload/files";
import { minChars } from "context-offload/policies";
import { formatSuite } from "context-offload/testing";

/**
 * Uses every entry of the package: stores, searches, queries, restores. Test runners, bundles and runtimes run
 * this function, some of them in a realm with an `Error` and an `Array` of its own.
 *
 * @param {string} folder An empty folder to write to.
 */
export async function smoke(folder) {
  const content = `first line\r\n${"measured \ud800 value\n".repeat(200)}`;
  const result = { type: "tool_result", tool_use_id: "toolu_01", content, is_error: true };

  const direct = await offloadToolResult(
    { role: "user", content: [result] },
    { sessionId: "smoke", outputDir: join(folder, "direct") },
  );
  assert.equal(await readOffloadedFile(direct.file), content);
  assert.match(JSON.stringify(direct.message), /Tool result offloaded to file: /);

  const history = await offloadToolResults([{ role: "user", content: [result] }], {
    outputDir: join(folder, "history"),
  });
  assert.equal(history.offloadedCount, 1);
  assert.equal(await readOffloadedFile(history.files[0] ?? ""), content);
  assert.equal(String(await readdir(join(folder, "history"))), "tool-result-toolu_01.md");

  const refused = await offloadToolResults([], { outputDir: "" }).catch((error) => error);
  assert.ok(ContextOffloadError.isInstance(refused));
  assert.equal(refused.code, "INVALID_ARGUMENT");

  const workspace = createWorkspace({ root: join(folder, "workspace") });
  const log = "all is well\n".repeat(6_000) + "ERROR disk \u{1f4a5} full\n";
  const op = createToolResultOffload({ workspace, tokenThreshold: 1_000 });
  const offloaded = await op.process({ toolCallId: "t1", toolName: "bash", content: log });
  assert.match(String(offloaded.content), /^<knowledge_list>/);
  const found = await workspace.grepKnowledge("t1", "ERROR \\w+");
  assert.match(found.text, /^6001:ERROR disk/);
  const lines = await workspace.getKnowledgeByLines("t1", 5_999, 6_001);
  assert.equal(lines.text.split("\n").length, 3);
  assert.equal(await workspace.getOriginal("t1"), log);

  const rows = Array.from({ length: 500 }, (_, at) => ({ id: at, name: `row ${at}` }));
  await workspace.put(
    { content: JSON.stringify({ rows }) },
    { toolCallId: "t2", sessionId: "smoke" },
  );
  const row = await workspace.queryKnowledge("t2", { pointer: "/rows/321/name" });
  assert.match(row.text, /row 321/);
  assert.equal((await workspace.verify()).damaged.length, 0);

  const offloader = createOffloader({ workspace, sessionId: "smoke", policy: minChars(1_000) });
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
  await workspace.close();

  const key = Buffer.alloc(32, 7);
  for (const store of [memoryStore(), fileStore(join(folder, "sealed"))]) {
    await useStore(createWorkspace({ store, encryption: { key } }));
  }

  assert.equal(typeof formatSuite, "function");
  assert.equal(DEFAULTS.charThreshold, 100);
}

/**
 * Stores, reads, searches and checks, and is refused what is not there.
 *
 * @param {import("context-offload").Workspace} workspace
 */
export async function useStore(workspace) {
  const content = `${"all is well\n".repeat(300)}ERROR disk full\n`;
  await workspace.put({ content }, { toolCallId: "t1", sessionId: "smoke" });
  assert.equal(await workspace.getOriginal("t1", { sessionId: "smoke" }), content);
  const found = await workspace.grepKnowledge("t1", "ERROR", { sessionId: "smoke" });
  assert.match(found.text, /^301:ERROR disk full/);
  const missing = await workspace.getArtifact("t9").catch((error) => error);
  assert.equal(missing.code, "UNKNOWN_ARTIFACT");
  assert.deepEqual((await workspace.verify()).damaged, []);
  await workspace.close();
}
