import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { smoke } from "./smoke.mjs";

// No await at the top level: bundlers that make CommonJS cannot take it.
run().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});

async function run() {
  const folder = await mkdtemp(join(tmpdir(), "context-offload-smoke-"));
  await smoke(folder);
  await rm(folder, { recursive: true });
  const name = ["bun", "deno"].find((other) => other in process.versions) ?? "node";
  console.log(`ok on ${name} ${process.versions[name]}`);
}
