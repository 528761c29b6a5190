import { join } from "node:path";
import { expect, it } from "vitest";
import { killWriters } from "../../scripts/kill-writer.mjs";
import { createWorkspace } from "../../src/index.js";
import { runs, runSeed } from "../support/adversarial-runs.js";
import { openStore } from "../support/store-files.js";
import { makeTempFolder } from "../support/temp-folder.js";

it("writers that are killed at any moment: what they acknowledged can be read exactly", async () => {
  const root = join(await makeTempFolder(), "root");
  const kills = runs(15);
  const summary = await killWriters({ root, kills, seed: runSeed(), createWorkspace });
  expect(summary).toMatchObject({ problems: [], kills });
});

it("what the killed ones did not finish is deleted, and nothing else", async () => {
  const root = join(await makeTempFolder(), "root");
  const options = { root, kills: runs(10), seed: runSeed() + 1, createWorkspace };
  const { acknowledged, problems } = await killWriters(options);
  expect(problems).toEqual([]);
  const workspace = openStore(root);
  const { artifacts } = await workspace.verify({ deleteOrphans: true, orphanAgeMs: -1 });
  expect(artifacts).toBeGreaterThanOrEqual(acknowledged);
  expect(await openStore(root).verify()).toMatchObject({
    artifacts,
    damaged: [],
    missing: [],
    orphaned: [],
  });
});
