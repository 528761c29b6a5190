import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, readlink, rename, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { listTree, readTree } from "../../support/list-tree.js";
import { rejectionOf } from "../../support/rejection.js";
import { makeStore, openStore } from "../../support/store-files.js";
import { skipOnWindows } from "../../support/skip-on-windows.js";
import { textOf } from "../../support/tool-messages.js";

const TEXT = textOf(2_000_000);
const SCOPE = { sessionId: "s1" };

/** A store with one artifact, of which one path was moved out and is a link now. */
async function makeLinked(path: string) {
  const { root, workspace, sessionFolder } = await makeStore();
  await workspace.put({ content: TEXT }, { toolCallId: "a", ...SCOPE });
  await workspace.getKnowledgeByLines("a", 2, 3, SCOPE);
  const outside = join(root, "..", "outside");
  await rename(join(root, path), outside);
  await symlink(outside, join(root, path));
  // The one has seen all this from the start, the other comes new to it.
  return { root, outside, sessionFolder, workspaces: [workspace, openStore(root)] };
}

describe("a link in the place of", () => {
  beforeEach((t) => {
    skipOnWindows(t, "making a link takes rights that a user may not have");
  });

  it.each([
    ["the layout's folder", "v1"],
    ["the namespace's folder", "v1/default"],
    ["the session's folder", "v1/default/s1"],
  ])("%s: nothing is read or written through it", async (_, path) => {
    const { outside, workspaces } = await makeLinked(path);
    const before = await readTree(outside);
    for (const workspace of workspaces) {
      for (const call of [
        () => workspace.put({ content: "new" }, { toolCallId: "b", ...SCOPE }),
        () => workspace.put({ content: TEXT }, { toolCallId: "a", ...SCOPE }),
        () => workspace.getOriginal("a", SCOPE),
        () => workspace.getKnowledgeByLines("a", 2, 3, SCOPE),
        () => workspace.grepKnowledge("a", "line", SCOPE),
        () => workspace.queryArtifacts({}, SCOPE),
        () => workspace.remove("a", SCOPE),
      ]) {
        expect((await rejectionOf(call())).code).toBe("UNSAFE_PATH");
      }
      if (path === "v1/default/s1") {
        expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
        expect(await workspace.verify({ deleteOrphans: true, orphanAgeMs: 0 })).toMatchObject({
          sessions: 0,
          deleted: [],
        });
      } else {
        expect((await rejectionOf(workspace.queryArtifacts())).code).toBe("UNSAFE_PATH");
        const all = { deleteOrphans: true, orphanAgeMs: 0 };
        expect((await rejectionOf(workspace.verify(all))).code).toBe("UNSAFE_PATH");
      }
    }
    expect(await readTree(outside)).toEqual(before);
  });

  it.runIf(process.platform === "linux")("the session's folder: no file is left open", async () => {
    const { outside, workspaces } = await makeLinked("v1/default/s1");
    const openThere = async () => {
      const names = await readdir("/proc/self/fd");
      const paths = await Promise.all(
        names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")),
      );
      return paths.filter((path) => path.startsWith(outside) && path.includes("refused"));
    };
    for (const workspace of workspaces) {
      for (const toolCallId of ["refused-1", "refused-2", "refused-3"]) {
        await rejectionOf(workspace.put({ content: "new" }, { toolCallId, ...SCOPE }));
      }
    }
    await vi.waitFor(async () => {
      expect(await openThere()).toEqual([]);
    });
  });

  it("the manifest", async () => {
    const { outside, workspaces } = await makeLinked("v1/default/s1/manifest.jsonl");
    const before = await readFile(outside, "utf8");
    for (const workspace of workspaces) {
      const put = workspace.put({ content: "new" }, { toolCallId: "b", ...SCOPE });
      expect((await rejectionOf(put)).code).toBe("WRITE_FAILED");
      expect((await rejectionOf(workspace.getOriginal("a", SCOPE))).code).toBe("READ_FAILED");
      expect((await workspace.verify()).unreadable).toHaveLength(1);
    }
    expect(await readFile(outside, "utf8")).toBe(before);
  });

  it("an artifact's file: other content goes round it, the same content takes its place back", async () => {
    const { root, outside, workspaces } = await makeLinked("v1/default/s1/a.txt");
    const file = join(root, "v1/default/s1/a.txt");
    for (const workspace of workspaces) {
      for (const call of [
        () => workspace.getOriginal("a", SCOPE),
        () => workspace.getKnowledgeByLines("a", 2, 3, SCOPE),
        () => workspace.grepKnowledge("a", "line", SCOPE),
      ]) {
        expect((await rejectionOf(call())).code).toBe("READ_FAILED");
      }
      expect((await workspace.verify()).damaged).toMatchObject([{ artifactId: "a" }]);
      const { record } = await workspace.put({ content: "new" }, { toolCallId: "a", ...SCOPE });
      expect(record.artifactId).toMatch(/^a-[0-9a-f]{12}$/);
      expect(await readlink(file)).toBe(outside);
    }
    for (const workspace of workspaces) {
      await workspace.put({ content: TEXT }, { toolCallId: "a", ...SCOPE });
      expect(await workspace.getOriginal("a", SCOPE)).toBe(TEXT);
    }
    expect(await readFile(outside, "utf8")).toBe(TEXT);
    await expect(readlink(file)).rejects.toThrow();
  });

  it("a file that is not there yet: the name counts as taken", async () => {
    const { root, workspace, sessionFolder } = await makeStore();
    await mkdir(sessionFolder("s1"), { recursive: true });
    await symlink(join(root, "..", "outside"), join(sessionFolder("s1"), "a.txt"));
    const { record } = await workspace.put({ content: "new" }, { toolCallId: "a", ...SCOPE });
    expect(record.artifactId).toMatch(/^a-[0-9a-f]{12}$/);
    expect(await workspace.getOriginal(record.artifactId)).toBe("new");
    expect(await listTree(join(root, ".."))).not.toContain("outside");
  });

  it("the folder of the caches: readings are right, and what it leads to is not touched", async () => {
    const { outside, workspaces } = await makeLinked("v1/default/s1/.cache");
    const before = await readTree(outside);
    // Spoilt ones, so that reading through the link would show.
    for (const path of before.keys()) await unlink(join(outside, path));
    for (const workspace of workspaces) {
      const { text } = await workspace.getKnowledgeByLines("a", 2, 3, SCOPE);
      expect(text.trimEnd()).toBe("line\nline");
      expect(await listTree(outside)).toEqual([]);
    }
    await mkdir(join(outside, "a.txt.mine"));
    await workspaces[1]?.verify({ deleteOrphans: true, orphanAgeMs: 0 });
    await workspaces[0]?.remove("a", SCOPE);
    expect(await listTree(outside)).toEqual(["a.txt.mine/"]);
  });

  it("a file, a pipe: nobody waits for it", async () => {
    const { workspace, sessionFolder } = await makeStore();
    const put = (content: string) => workspace.put({ content }, { toolCallId: "a", ...SCOPE });
    await put("content");
    const file = join(sessionFolder("s1"), "a.txt");
    await unlink(file);
    await promisify(execFile)("mkfifo", [file]);
    expect((await rejectionOf(workspace.getOriginal("a"))).code).toBe("READ_FAILED");
    expect((await workspace.verify()).damaged).toHaveLength(1);
    expect((await put("other")).record.artifactId).toMatch(/^a-/);
    expect((await put("content")).record.artifactId).toBe("a");
    expect(await workspace.getOriginal("a")).toBe("content");
  });
});
