import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, inject, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { innerEnvironment, needTools } from "./tools.js";

const { folder } = inject("packed");
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));

const environment = innerEnvironment({
  SMOKE_SQLITE: createRequire(import.meta.url).resolve("libsql"),
});

describe("the packed package stores, searches and queries in the realm of", () => {
  it("Jest 30, with its modules in a vm", async (context) => {
    const modules = needTools(context);
    const configuration = { transform: {}, testMatch: ["**/smoke.test.mjs"] };
    const outcome = await runCommand(
      process.execPath,
      [
        "--experimental-vm-modules",
        join(modules, "jest/bin/jest.js"),
        ...["--config", JSON.stringify(configuration), "--rootDir", folder, "--ci"],
      ],
      { cwd: folder, env: environment },
    );
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    expect(outcome.stderr).toContain("2 passed");
  });

  it.each(["vmThreads", "vmForks"])("Vitest's pool %s", async (pool) => {
    const outcome = await runCommand(
      process.execPath,
      [vitest, "run", "--root", folder, "--pool", pool, "--globals", "--no-color"],
      { cwd: folder, env: environment },
    );
    expect(outcome, outcome.stdout + outcome.stderr).toMatchObject({ code: 0 });
    expect(outcome.stdout).toMatch(/Tests\s+2 passed/);
  });
});
