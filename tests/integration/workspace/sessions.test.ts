import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorkspace, type Workspace } from "../../../src/index.js";
import { listTree } from "../../support/list-tree.js";
import { rejectionOf } from "../../support/rejection.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { openWorkspace } from "./open-workspace.js";

/** Every verb that reads an artifact by its id. */
const READS: Record<
  string,
  (workspace: Workspace, id: string, sessionId?: string) => Promise<unknown>
> = {
  getKnowledgeById: (workspace, id, sessionId) => workspace.getKnowledgeById(id, { sessionId }),
  getKnowledgeByLines: (workspace, id, sessionId) =>
    workspace.getKnowledgeByLines(id, 1, 1, { sessionId }),
  grepKnowledge: (workspace, id, sessionId) => workspace.grepKnowledge(id, ".", { sessionId }),
  queryKnowledge: (workspace, id, sessionId) => workspace.queryKnowledge(id, { sessionId }),
  getOriginal: (workspace, id, sessionId) => workspace.getOriginal(id, { sessionId }),
};
const reads = Object.entries(READS);

describe("without a session [DESIGN-W-read-ambiguous]", () => {
  it.each(reads)("%s finds an id that one session holds", async (_, read) => {
    const workspace = await openWorkspace();
    await workspace.put({ content: "[1]" }, { toolCallId: "a", sessionId: "s1" });
    await workspace.put({ content: "[2]" }, { toolCallId: "b", sessionId: "s2" });
    await expect(read(workspace, "a")).resolves.toBeDefined();
    await expect(read(workspace, "b")).resolves.toBeDefined();
  });

  it.each(reads)("%s refuses an id that several hold, and names them", async (_, read) => {
    const workspace = await openWorkspace();
    for (const sessionId of ["s1", "s2", "s3"])
      await workspace.put(
        { content: "[1]" },
        { toolCallId: sessionId === "s3" ? "b" : "a", sessionId },
      );
    const error = await rejectionOf(read(workspace, "a"));
    expect(error).toMatchObject({ code: "AMBIGUOUS_ARTIFACT", sessionIds: ["s1", "s2"] });
    expect(error.message).toMatch(/"s1", "s2".*sessionId/);
    await expect(read(workspace, "a", "s2")).resolves.toBeDefined();
  });

  it("what is put goes into a session of its own, and is found", async () => {
    const workspace = await openWorkspace();
    const { record } = await workspace.put({ content: "x" }, { toolCallId: "a" });
    expect(record).toMatchObject({ sessionId: "default", metadata: { session_id: null } });
    expect(await workspace.getOriginal("a")).toBe("x");
  });

  it("remove takes only what is meant", async () => {
    const workspace = await openWorkspace();
    for (const sessionId of ["s1", "s2"])
      await workspace.put({ content: "x" }, { toolCallId: "a", sessionId });
    expect((await rejectionOf(workspace.remove("a"))).code).toBe("AMBIGUOUS_ARTIFACT");
    await workspace.remove("a", { sessionId: "s1" });
    expect(await workspace.getOriginal("a")).toBe("x");
    expect((await rejectionOf(workspace.getOriginal("a", { sessionId: "s1" }))).code).toBe(
      "ARTIFACT_GONE",
    );
  });
});

describe("a session", () => {
  it.each(reads)("%s sees nothing of another one", async (_, read) => {
    const workspace = await openWorkspace();
    await workspace.put({ content: "[1]" }, { toolCallId: "mine", sessionId: "s1" });
    await workspace.put({ content: "[2]" }, { toolCallId: "mine-too", sessionId: "s2" });
    const error = await rejectionOf(read(workspace, "mine-too", "s1"));
    expect(error).toMatchObject({ code: "UNKNOWN_ARTIFACT", nearest: ["mine"] });
    expect((await rejectionOf(read(workspace, "mine", "no-such"))).code).toBe("UNKNOWN_ARTIFACT");
  });

  it.each(reads)(
    "%s: a parent reads its child and grandchild; never the other way round [DESIGN-W-sessions-parent] [DESIGN-W-sessions-one-way]",
    async (_, read) => {
      const workspace = await openWorkspace();
      const put = (toolCallId: string, sessionId: string, parentSessionId?: string) =>
        workspace.put({ content: "[1]" }, { toolCallId, sessionId, parentSessionId });
      await put("of-parent", "parent");
      await put("of-child", "child", "parent");
      await put("of-sibling", "sibling", "parent");
      await put("of-grandchild", "grandchild", "child");
      const sees: Record<string, string[]> = {
        parent: ["of-parent", "of-child", "of-sibling", "of-grandchild"],
        child: ["of-child", "of-grandchild"],
        sibling: ["of-sibling"],
        grandchild: ["of-grandchild"],
      };
      for (const [sessionId, ids] of Object.entries(sees)) {
        for (const id of sees["parent"] ?? []) {
          const outcome = await read(workspace, id, sessionId).catch((error: unknown) => error);
          if (ids.includes(id)) expect(outcome).not.toBeInstanceOf(Error);
          else expect(outcome).toMatchObject({ code: "UNKNOWN_ARTIFACT" });
        }
        const { artifacts } = await workspace.queryArtifacts({}, { sessionId });
        expect(artifacts.map(({ artifactId }) => artifactId).sort()).toEqual([...ids].sort());
      }
    },
  );

  it("its own artifact comes before a child's of the same id; two children's are ambiguous", async () => {
    const workspace = await openWorkspace();
    for (const sessionId of ["c1", "c2"])
      await workspace.put(
        { content: sessionId },
        { toolCallId: "a", sessionId, parentSessionId: "p" },
      );
    const error = await rejectionOf(workspace.getOriginal("a", { sessionId: "p" }));
    expect(error).toMatchObject({ code: "AMBIGUOUS_ARTIFACT", sessionIds: ["c1", "c2"] });
    await workspace.put({ content: "p" }, { toolCallId: "a", sessionId: "p" });
    expect(await workspace.getOriginal("a", { sessionId: "p" })).toBe("p");
  });

  it("sessions that are each other's parents do not hang", async () => {
    const workspace = await openWorkspace();
    await workspace.put(
      { content: "x" },
      { toolCallId: "a", sessionId: "s", parentSessionId: "s" },
    );
    await workspace.put(
      { content: "y" },
      { toolCallId: "b", sessionId: "t", parentSessionId: "s" },
    );
    await workspace.put(
      { content: "z" },
      { toolCallId: "c", sessionId: "s", parentSessionId: "t" },
    );
    expect(await workspace.getOriginal("b", { sessionId: "s" })).toBe("y");
    expect(await workspace.getOriginal("a", { sessionId: "t" })).toBe("x");
  });

  it("is there for a second workspace on the same folder", async () => {
    const root = await makeTempFolder();
    const one = createWorkspace({ root });
    const other = createWorkspace({ root });
    await one.put({ content: "x" }, { toolCallId: "a", sessionId: "c", parentSessionId: "p" });
    expect(await other.getOriginal("a", { sessionId: "p" })).toBe("x");
    await one.put({ content: "y" }, { toolCallId: "b", sessionId: "c" });
    expect(await other.getOriginal("b", { sessionId: "c" })).toBe("y");
  });
});

describe("a namespace [DESIGN-W-sessions-apart]", () => {
  it.each(reads)("%s sees nothing of another one", async (_, read) => {
    const root = await makeTempFolder();
    const one = createWorkspace({ root, namespace: "one" });
    const other = createWorkspace({ root, namespace: "other" });
    await one.put({ content: "[1]" }, { toolCallId: "a", sessionId: "s" });
    for (const sessionId of [undefined, "s", "../one/s"]) {
      const error = await rejectionOf(read(other, "a", sessionId));
      expect(error).toMatchObject({ code: "UNKNOWN_ARTIFACT", nearest: [] });
    }
    expect((await other.queryArtifacts()).artifacts).toEqual([]);
    const error = await rejectionOf(other.getToolResultOffloadInfo({ namespace: "one" }));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "namespace" });
  });
});

describe("an id is data, not a path [DESIGN-7] [DESIGN-W-disk-ids]", () => {
  const HOSTILE = {
    "climbing out": "../../x",
    "an absolute path": "/etc/passwd",
    "1,500 characters": "i".repeat(1_500),
    emoji: "🎉🎊",
    manifest: "manifest",
    "the manifest's file": "manifest.jsonl",
    "the cache": ".cache",
    "a key of every object": "__proto__",
    "a NUL and a line break": "a\0\nb",
    "a lone surrogate": "a\ud800",
    dots: "..",
  };

  it.each(Object.entries(HOSTILE))("%s", async (_, id) => {
    const top = await makeTempFolder();
    const root = join(top, "one", "two");
    const workspace = createWorkspace({ root, namespace: id });
    await workspace.put({ content: "plain" }, { toolCallId: "plain", sessionId: "plain" });
    const { record } = await workspace.put(
      { content: "hostile" },
      { toolCallId: id, sessionId: id },
    );
    expect(record).toMatchObject({ artifactId: id, sessionId: id });
    const fresh = createWorkspace({ root, namespace: id });
    for (const sessionId of [undefined, id])
      expect(await fresh.getOriginal(id, { sessionId })).toBe("hostile");
    const page = await fresh.queryArtifacts({ session_id: id, biz_id: id });
    expect(page.artifacts.map(({ artifactId }) => artifactId)).toEqual([id]);
    expect(record.location.startsWith(join(root, "v1"))).toBe(true);
    for (const path of await listTree(top)) expect(path).toMatch(/^one\//);
    expect(await fresh.verify()).toMatchObject({ artifacts: 2, damaged: [], orphaned: [] });
  });

  it("an empty session is a session like any other", async () => {
    const workspace = await openWorkspace();
    await workspace.put({ content: "x" }, { toolCallId: "a", sessionId: "" });
    expect(await workspace.getOriginal("a", { sessionId: "" })).toBe("x");
    expect((await rejectionOf(workspace.getOriginal("a", { sessionId: "s" }))).code).toBe(
      "UNKNOWN_ARTIFACT",
    );
  });

  it("a session's folder that is a link is not followed", async () => {
    const root = await makeTempFolder();
    const workspace = createWorkspace({ root });
    const { record } = await workspace.put({ content: "x" }, { toolCallId: "a", sessionId: "s" });
    await symlink(join(record.location, ".."), join(root, "v1", "default", "link"));
    const error = await rejectionOf(workspace.getOriginal("a", { sessionId: "link" }));
    expect(error.code).toBe("UNSAFE_PATH");
    expect(await workspace.getOriginal("a")).toBe("x");
  });
});
