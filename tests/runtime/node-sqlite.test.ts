import { expect, inject, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { makeTempFolder } from "../support/temp-folder.js";
import { needRuntime } from "./tools.js";

it("the packed package stores in node:sqlite, and passes the whole suite there", async (context) => {
  const binary = needRuntime(context, "Node 22");
  const args = ["node-sqlite.mjs", await makeTempFolder()];
  const { code, stdout } = await runCommand(binary, args, { cwd: inject("packed").folder });
  expect(stdout).toMatch(/^[5-9]\d checks, 0 failures on node:sqlite$/m);
  expect(code).toBe(0);
});
