import { describe, expect, it } from "vitest";
import { MemoryStore } from "../../../../../src/testing/index.js";
import { openMemoryWorkspace } from "../../../../support/memory-workspace.js";
import { READING_VERBS as reads } from "../../../../support/reading-verbs.js";
import { rejectionOf } from "../../../../support/rejection.js";

describe("without a session", () => {
  it.each(reads)("%s finds an id that one session holds", async (_, read) => {
    const workspace = openMemoryWorkspace();
    await workspace.put({ content: "[1]" }, { toolCallId: "a", sessionId: "s1" });
    await workspace.put({ content: "[2]" }, { toolCallId: "b", sessionId: "s2" });
    await expect(read(workspace, "a")).resolves.toBeDefined();
    await expect(read(workspace, "b")).resolves.toBeDefined();
  });

  it.each(reads)(
    "%s refuses an id that several hold with other content, and names them",
    async (_, read) => {
      const workspace = openMemoryWorkspace();
      for (const sessionId of ["s1", "s2", "s3"])
        await workspace.put(
          { content: `["${sessionId}"]` },
          { toolCallId: sessionId === "s3" ? "b" : "a", sessionId },
        );
      const error = await rejectionOf(read(workspace, "a"));
      expect(error).toMatchObject({ code: "AMBIGUOUS_ARTIFACT", sessionIds: ["s1", "s2"] });
      expect(error.message).toMatch(/"s1", "s2".*sessionId/);
      await expect(read(workspace, "a", "s2")).resolves.toBeDefined();
    },
  );

  it("what is offloaded goes into a session of its own, and is found", async () => {
    const workspace = openMemoryWorkspace();
    await workspace.offloadByWorkspace({ content: "x" }, { toolCallId: "a" });
    expect(await workspace.getArtifact("a")).toMatchObject({
      sessionId: "default",
      metadata: { session_id: null },
    });
    expect(await workspace.getOriginal("a")).toBe("x");
  });

  it("remove takes only what is meant", async () => {
    const workspace = openMemoryWorkspace();
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
    const workspace = openMemoryWorkspace();
    await workspace.put({ content: "[1]" }, { toolCallId: "mine", sessionId: "s1" });
    await workspace.put({ content: "[2]" }, { toolCallId: "mine-too", sessionId: "s2" });
    const error = await rejectionOf(read(workspace, "mine-too", "s1"));
    expect(error).toMatchObject({ code: "UNKNOWN_ARTIFACT", nearest: ["mine"] });
    expect((await rejectionOf(read(workspace, "mine", "no-such"))).code).toBe("UNKNOWN_ARTIFACT");
  });

  it.each(reads)(
    "%s: a parent reads its child and grandchild; never the other way round",
    async (_, read) => {
      const workspace = openMemoryWorkspace();
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
    const workspace = openMemoryWorkspace();
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
    const workspace = openMemoryWorkspace();
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
});

it("without an index, each session is listed once, and none after the one that has the artifact", async () => {
  const listed: string[] = [];
  class ListedStore extends MemoryStore {
    override listSession(sessionId: string) {
      listed.push(sessionId);
      return super.listSession(sessionId);
    }
  }
  const store = new ListedStore();
  const workspace = openMemoryWorkspace({ store });
  await workspace.put({ content: "own" }, { toolCallId: "own", sessionId: "s1" });
  const child = { sessionId: "s2", parentSessionId: "s1" };
  await workspace.put({ content: "of the child" }, { toolCallId: "child", ...child });
  listed.length = 0;
  await workspace.getOriginal("own", { sessionId: "s1" });
  expect(listed).toEqual(["s1"]);
  listed.length = 0;
  await workspace.getOriginal("child", { sessionId: "s1" });
  expect(listed).toEqual(["s1", "s2"]);
});
