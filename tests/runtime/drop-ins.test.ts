import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { makeTempFolder } from "../support/temp-folder.js";
import { needRuntime } from "./tools.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const NAMES = ["ai-sdk", "openai"];

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** One run for all of them, since most of the time of a run goes by before its first test. */
async function runStories(node: string): Promise<Report> {
  const file = join(await makeTempFolder(), "report.json");
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const which = NAMES.map((name) => `tests/integrations/${name}.test.ts`);
  const report = ["--reporter=json", `--outputFile=${file}`];
  const args = [vitest, "run", "--project", "integration", ...which, ...report];
  const { stderr } = await runCommand(node, args, {
    cwd: ROOT,
    env: { ...process.env, CONTEXT_OFFLOAD_IS_BUILT: "true" },
  });
  const text = await readFile(file, "utf8").catch(() => {
    throw new Error(`There is no report: ${stderr}`);
  });
  return JSON.parse(text) as Report;
}
let running: Promise<Report> | undefined;

// `ai` 7 and `openai` 7 ask for Node 22, and the tests may be running on an older one.
it.for(NAMES)("the stories of %s pass on Node 22", async (name, context) => {
  const { testResults } = await (running ??= runStories(needRuntime(context, "Node 22")));
  const file = testResults.find((one) => one.name.endsWith(`/${name}.test.ts`));
  const statuses = file?.assertionResults.map(({ status }) => status) ?? [];
  expect(statuses).not.toContain("failed");
  expect(statuses.filter((status) => status === "passed").length).toBeGreaterThan(20);
});
