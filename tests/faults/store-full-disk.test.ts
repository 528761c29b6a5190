import { statfs, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Workspace } from "../../src/index.js";
import { listTree } from "../support/list-tree.js";
import { rejectionOf } from "../support/rejection.js";
import { mountSmallDisk } from "../support/small-disk.js";
import { openStore, readManifest } from "../support/store-files.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { textOf } from "../support/tool-messages.js";

const SCOPE = { sessionId: "s1" };

async function* streamOf(text: string) {
  for (let at = 0; at < text.length; at += 3_000) {
    yield await Promise.resolve(Buffer.from(text.slice(at, at + 3_000)));
  }
}

/** Puts until the disk is full, and tells what was acknowledged. */
async function fill(
  workspace: Workspace,
  chars: number,
  label: string,
): Promise<Map<string, string>> {
  const acknowledged = new Map<string, string>();
  for (let at = 0; ; at++) {
    const text = textOf(chars, `${label} ${at}`);
    const content = at % 2 === 0 ? text : streamOf(text);
    try {
      const { record } = await workspace.put(
        { content },
        { toolCallId: `${label}${at}`, ...SCOPE },
      );
      acknowledged.set(record.artifactId, text);
    } catch (error) {
      expect(error).toMatchObject({ code: "WRITE_FAILED", cause: { code: "ENOSPC" } });
      return acknowledged;
    }
  }
}

async function expectExactly(root: string, acknowledged: Map<string, string>): Promise<void> {
  expect(acknowledged.size).toBeGreaterThan(0);
  const fresh = openStore(root);
  const { artifacts } = await fresh.queryArtifacts({}, { limit: 10_000 });
  expect(artifacts.map(({ artifactId }) => artifactId)).toEqual([...acknowledged.keys()]);
  for (const [id, content] of acknowledged) expect(await fresh.getOriginal(id)).toBe(content);
  const report = await fresh.verify();
  expect(report).toMatchObject({ damaged: [], missing: [], orphaned: [] });
  expect((await listTree(root)).filter((path) => path.includes(".put-"))).toEqual([]);
}

it("a disk that fills up: what was acknowledged is there, nothing else, and it goes on", async (t) => {
  const disk = await makeTempFolder();
  const { whyNot } = await mountSmallDisk(disk);
  if (whyNot !== undefined) t.skip(`no small disk could be had: ${whyNot}`);
  const root = join(disk, "root");
  const workspace = openStore(root);
  const spare = join(disk, "spare");
  await writeFile(spare, textOf(16_384));

  // Large ones first, then ever smaller ones, so that in the end it is a line that does not fit.
  const acknowledged = new Map<string, string>();
  for (const chars of [20_000, 3_000, 1, 0]) {
    for (const [id, text] of await fill(workspace, chars, `t${chars}`)) acknowledged.set(id, text);
    await expectExactly(root, acknowledged);
  }
  expect(acknowledged.size).toBeGreaterThan(12);
  expect((await statfs(disk)).bfree).toBe(0);
  expect(acknowledged.size).toBeGreaterThan(0);
  const another = workspace.put({ content: "x" }, { toolCallId: "x", sessionId: "s2" });
  expect((await rejectionOf(another)).code).toBe("WRITE_FAILED");

  await unlink(spare);
  const { record } = await workspace.put({ content: "after" }, { toolCallId: "after", ...SCOPE });
  acknowledged.set(record.artifactId, "after");
  await expectExactly(root, acknowledged);
  // Of the lines that did not fit, a part may be there; every other line is whole.
  const { brokenLines } = await openStore(root).verify();
  if (brokenLines === 0) await readManifest(join(root, "v1/default/s1"));
  await workspace.remove(record.artifactId, SCOPE);
  acknowledged.delete(record.artifactId);
  await expectExactly(root, acknowledged);
});

it("reading on a full disk", async (t) => {
  const disk = await makeTempFolder();
  const { whyNot } = await mountSmallDisk(disk);
  if (whyNot !== undefined) t.skip(`no small disk could be had: ${whyNot}`);
  const root = join(disk, "root");
  const workspace = openStore(root);
  const acknowledged = await fill(workspace, 30_000, "t");
  await writeFile(join(disk, "rest"), textOf(300_000)).catch(() => undefined);
  expect((await statfs(disk)).bfree).toBe(0);
  for (const [id, text] of acknowledged) {
    const { text: start } = await workspace.getKnowledgeByLines(id, 1, 2);
    expect(text.startsWith(start.trimEnd())).toBe(true);
    expect(await workspace.getOriginal(id)).toBe(text);
    expect((await workspace.grepKnowledge(id, "t", { maxResults: 1 })).range.to).toBe(1);
  }
});
