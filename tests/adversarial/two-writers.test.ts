import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Workspace } from "../../src/index.js";
import { runs, runSeed } from "../support/adversarial-runs.js";
import { makeStore, openStore } from "../support/store-files.js";
import { contentOf } from "../support/written-content.mjs";

const SCOPE = { sessionId: "s1" };
const PROGRAM = fileURLToPath(new URL("../support/write-in-child.mjs", import.meta.url));

interface Writing {
  readonly root: string;
  readonly writer: string;
  readonly count: number;
  readonly seed: number;
  /** Told each time that something was acknowledged. */
  readonly onPut: (artifactId: string, content: string) => Promise<void>;
  readonly onRemoved: (artifactId: string) => Promise<void>;
}

async function write({ root, writer, count, seed, onPut, onRemoved }: Writing): Promise<void> {
  const args = [PROGRAM, root, writer, String(count), String(seed)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, artifactId, number] = JSON.parse(line) as [string, string, number];
    if (what === "removed") await onRemoved(artifactId);
    else await onPut(artifactId, contentOf(writer, number, seed));
  }
  expect((await closed)[0]).toBe(0);
}

/** Deletes orphans as fast as it can, of any age, until it is told to stop. */
async function deleteOrphans(workspace: Workspace, until: { done: boolean }): Promise<void> {
  while (!until.done) await workspace.verify({ deleteOrphans: true, orphanAgeMs: 0 });
}

it.each([
  ["two processes write", false],
  // Orphans of any age, so that unfinished files are taken as well.
  ["two processes write while a third one deletes orphans", true],
])("%s: nothing that was acknowledged is lost", async (_, isSwept) => {
  for (let round = 0; round < runs(2); round++) {
    const { root, workspace } = await makeStore();
    const seed = runSeed() + round;
    const acknowledged = new Map<string, string>();
    const removed: string[] = [];
    const onPut = async (artifactId: string, content: string) => {
      expect(acknowledged.get(artifactId) ?? content).toBe(content);
      acknowledged.set(artifactId, content);
      // A workspace that has been open all along sees what another process was told is stored. A
      // sweep may have moved a file aside for a moment, to look it up in the manifest.
      if (!isSwept) expect(await workspace.getOriginal(artifactId, SCOPE)).toBe(content);
    };
    const onRemoved = async (artifactId: string) => {
      removed.push(artifactId);
      const gone = workspace.getOriginal(artifactId, SCOPE);
      await expect(gone).rejects.toMatchObject({ code: "ARTIFACT_GONE" });
    };
    const until = { done: !isSwept };
    const deleting = deleteOrphans(openStore(root), until);
    await Promise.all(
      ["x", "y"].map((writer) => write({ root, writer, count: 100, seed, onPut, onRemoved })),
    ).finally(() => (until.done = true));
    await deleting;
    expect(acknowledged.size).toBeGreaterThan(100);
    expect(removed.length).toBeGreaterThan(20);
    for (const reader of [workspace, openStore(root)]) {
      for (const [id, content] of acknowledged) {
        expect(await reader.getOriginal(id, SCOPE), id).toBe(content);
      }
    }
    const { artifacts, ...report } = await openStore(root).verify();
    expect(artifacts).toBe(acknowledged.size);
    expect(report).toMatchObject({ missing: [], damaged: [], brokenLines: 0 });
  }
});
