import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { needRuntime } from "./tools.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

// `ai` 7 and `openai` 7 ask for Node 22, and the tests may be running on an older one.
it.for(["ai-sdk", "openai"])("the stories of %s pass on Node 22", async (name, context) => {
  const node = needRuntime(context, "Node 22");
  const folder = await mkdtemp(join(tmpdir(), "context-offload-node-22-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "report.json");
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const which = ["--project", "integration", `tests/integrations/${name}.test.ts`];
  const report = ["--reporter=json", `--outputFile=${file}`];
  const { stderr } = await runCommand(node, [vitest, "run", ...which, ...report], {
    cwd: ROOT,
    env: { ...process.env, CONTEXT_OFFLOAD_IS_BUILT: "true" },
  });
  const text = await readFile(file, "utf8").catch(() => `{ "why": ${JSON.stringify(stderr)} }`);
  const outcome = JSON.parse(text) as Report;
  expect(outcome).toMatchObject({ numFailedTests: 0 });
  expect(outcome.numPassedTests).toBeGreaterThan(20);
});
