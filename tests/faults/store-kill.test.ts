import { join } from "node:path";
import { expect, it } from "vitest";
import { killWriters } from "../../scripts/kill-writer.mjs";
import { createWorkspace } from "../../src/index.js";
import { makeTempFolder } from "../support/temp-folder.js";

it.each([1, 2])(
  "10 kills of a writing process, seed %i: nothing that was acknowledged is lost",
  async (seed) => {
    const root = join(await makeTempFolder(), "root");
    const summary = await killWriters({ root, kills: 10, seed, createWorkspace });
    expect(summary.problems).toEqual([]);
    expect(summary.kills).toBe(10);
    expect(summary.acknowledged).toBeGreaterThan(10);
  },
);
