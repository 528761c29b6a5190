import { fileURLToPath } from "node:url";
import { expect, inject, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { memoryStore } from "../../src/index.js";
import { storeSuite } from "../../src/testing/index.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { innerEnvironment, needRuntime } from "./tools.js";

it("the packed package stores in node:sqlite, and passes the whole suite there", async (context) => {
  const binary = needRuntime(context, "Node 22");
  const args = ["node-sqlite.mjs", await makeTempFolder()];
  const { code, stdout } = await runCommand(binary, args, { cwd: inject("packed").folder });
  expect(stdout).toMatch(/^[5-9]\d checks, 0 failures on node:sqlite$/m);
  expect(code).toBe(0);
});

it("the sources pass it there as well, sealed too", async (context) => {
  const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
  const { code, stdout, stderr } = await runCommand(
    needRuntime(context, "Node 22"),
    [
      ...[vitest, "run", "--project", "integration", "--reporter", "default", "--no-color"],
      ...["tests/conformance/sqlite-store.test.ts", "-t", "SQLite through node:sqlite"],
    ],
    { env: innerEnvironment({ CONTEXT_OFFLOAD_IS_BUILT: "true" }) },
  );
  expect(code, stdout + stderr).toBe(0);
  // As it is, encrypted, and with keyed hashes.
  const count = 3 * storeSuite({ open: memoryStore() }).length;
  expect(stdout).toMatch(new RegExp(`Tests +${count.toString()} passed`));
});
