import { describe, expect, inject, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { needRuntime } from "./tools.js";

const { folder } = inject("packed");

describe("the packed package stores, searches and queries", () => {
  it("on the Node that runs the tests", async () => {
    const outcome = await runCommand(process.execPath, ["run-smoke.mjs"], { cwd: folder });
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    expect(outcome.stdout).toContain(`ok on node ${process.versions.node}`);
  });

  it.for(["Node 18", "Node 22", "Node 24"])("on %s", async (name, context) => {
    const binary = needRuntime(context, name);
    const outcome = await runCommand(binary, ["run-smoke.mjs"], { cwd: folder });
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    expect(outcome.stdout).toContain(`ok on ${name.toLowerCase()}.`);
  });

  it("on Bun", async (context) => {
    const binary = needRuntime(context, "Bun");
    const outcome = await runCommand(binary, ["run-smoke.mjs"], { cwd: folder });
    expect(outcome).toMatchObject({ code: 0 });
    expect(outcome.stdout).toContain("ok on bun");
  });

  it("on Deno", async (context) => {
    const binary = needRuntime(context, "Deno");
    const args = ["run", "--allow-all", "--no-lock", "--node-modules-dir=manual", "run-smoke.mjs"];
    const outcome = await runCommand(binary, args, { cwd: folder });
    expect(outcome).toMatchObject({ code: 0 });
    expect(outcome.stdout).toContain("ok on deno");
  });
});
