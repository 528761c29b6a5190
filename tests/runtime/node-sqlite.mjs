/** Runs the suite for stores on `node:sqlite`, which Node 20 does not have. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
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
// Sealed: exact with its key, rejected with another, and nothing of it is in the file.
const sealedPath = join(folder, "sealed.db");
const content = "INFO ok\r\nERROR secret-4711 \u0000\n".repeat(500);
const openSealed = (/** @type {Buffer} */ key) =>
  createWorkspace({ store: sqliteStore(new DatabaseSync(sealedPath)), encryption: { key } });
const [key, otherKey] = [randomBytes(32), randomBytes(32)];
const writer = openSealed(key);
await writer.put({ content }, { sessionId: "s", toolCallId: "call_1" });
await writer.close();
const reader = openSealed(key);
const read = await reader.getOriginal("call_1", { sessionId: "s" });
if (read !== content) failures++;
await reader.close();
const stranger = openSealed(otherKey);
await stranger.getOriginal("call_1", { sessionId: "s" }).then(
  () => failures++,
  ({ code }) => {
    if (code !== "KEY_MISSING") console.log(`failed: ${code} instead of KEY_MISSING`, failures++);
  },
);
await stranger.close();
const files = readdirSync(folder).filter((name) => name.startsWith("sealed.db"));
if (files.some((name) => readFileSync(join(folder, name)).includes("secret-4711"))) failures++;
console.log(`${checks.length} checks, ${failures} failures on node:sqlite`);
process.exitCode = failures === 0 ? 0 : 1;
