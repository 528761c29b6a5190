/** Runs the suite for stores on `node:sqlite`, which Node 20 does not have. */
import { join } from "node:path";
import { createWorkspace } from "context-offload";
import { sqliteStore } from "context-offload/stores";
import { storeSuite } from "context-offload/testing";

// The types of Node 20 do not know it.
const specifier = "node:sqlite";
const { DatabaseSync } = await import(specifier);
const [folder = "."] = process.argv.slice(2);
const path = join(folder, "suite.db");
const open = (/** @type {string} */ namespace) => sqliteStore(new DatabaseSync(path))(namespace);
let failures = 0;
const checks = storeSuite({ open });
for (const { concern, name, run } of checks) {
  try {
    await run();
  } catch (error) {
    failures++;
    console.log(`failed: ${concern}: ${name}: ${error}`);
  }
}
// Without another client, the connection string uses the one that Node brings.
const workspace = createWorkspace({ store: `sqlite:${join(folder, "string.db")}` });
await workspace.put(
  { content: "INFO ok\nERROR disk full" },
  { sessionId: "default", toolCallId: "call_1" },
);
const { text } = await workspace.grepKnowledge("call_1", "ERROR");
if (!text.includes("disk full")) failures++;
await workspace.close();
console.log(`${checks.length} checks, ${failures} failures on node:sqlite`);
process.exitCode = failures === 0 ? 0 : 1;
