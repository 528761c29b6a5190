import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { BUNDLERS } from "./bundlers.mjs";
import { needTools } from "./tools.js";

const { folder } = inject("packed");

describe("the packed package in a bundle stores, searches and queries", () => {
  // Apart from the packed package: a bundle must need nothing beside it.
  let outputs: string;
  beforeAll(async () => {
    outputs = await mkdtemp(join(tmpdir(), "context-offload-bundles-"));
  });
  afterAll(() => rm(outputs, { recursive: true, force: true }));

  it.for(Object.entries(BUNDLERS))("made by %s", async ([name, { extension, bundle }], context) => {
    const modules = needTools(context);
    const outFile = join(outputs, `${name.replaceAll(/\W+/g, "-")}${extension}`);
    await bundle({ modules, entry: join(folder, "run-smoke.mjs"), outFile });
    const outcome = await runCommand(process.execPath, [outFile], { cwd: outputs });
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    expect(outcome.stdout).toContain("ok on node");
  });
});
