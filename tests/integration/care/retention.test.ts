import { describe, expect, it, vi } from "vitest";
import { createWorkspace, memoryStore, type Workspace } from "../../../src/index.js";
import { makeTempFolder } from "../../support/temp-folder.js";

const HOUR = 3_600_000;
const put = (workspace: Workspace, id: string, sessionId = "s", chars = 1_000) =>
  workspace.put(
    { content: "x".repeat(chars), metadata: { tool_name: "fetch" } },
    { toolCallId: id, sessionId },
  );
const idsOf = async (workspace: Workspace) =>
  (await workspace.queryArtifacts()).artifacts.map(({ artifactId }) => artifactId);

describe.each([
  ["files", async () => ({ root: await makeTempFolder() })],
  ["memory", () => Promise.resolve({ store: memoryStore() })],
  ["SQLite", async () => ({ store: `sqlite:${await makeTempFolder()}/retention.db` })],
])("retention in %s", (_, place) => {
  it("removes nothing unless it is told to, and nothing of the last hour", async () => {
    const workspace = createWorkspace(await place());
    for (const id of ["a", "b", "c"]) await put(workspace, id);
    expect(await workspace.prune({ maxArtifacts: 1 })).toMatchObject({ removed: [] });
    expect(await idsOf(workspace)).toEqual(["a", "b", "c"]);
    await expect(workspace.prune()).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  it("says what it would remove, then removes the oldest first", async () => {
    const workspace = createWorkspace(await place());
    for (const id of ["a", "b", "c", "d"]) {
      await put(workspace, id);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const limits = { maxArtifacts: 3, maxBytes: 2_500, minAgeMs: 0 };
    const plan = await workspace.prune({ ...limits, dryRun: true });
    expect(plan.removed.map(({ artifactId }) => artifactId)).toEqual(["a", "b"]);
    expect(await idsOf(workspace)).toHaveLength(4);
    expect(await workspace.prune(limits)).toEqual(plan);
    expect(await idsOf(workspace)).toEqual(["c", "d"]);
  });

  it("has limits for each session, too", async () => {
    const workspace = createWorkspace(await place());
    for (const id of ["a", "b"])
      for (const session of ["s1", "s2"]) await put(workspace, id, session);
    const { removed } = await workspace.prune({ perSession: { maxArtifacts: 1 }, minAgeMs: 0 });
    expect(removed.map(({ sessionId }) => sessionId).sort()).toEqual(["s1", "s2"]);
    await workspace.prune({ maxArtifacts: 0, sessionId: "s1", minAgeMs: 0 });
    expect((await workspace.sessions()).map(({ sessionId }) => sessionId)).toEqual(["s2"]);
  });

  it("runs by itself after puts, off their path", async () => {
    const workspace = createWorkspace({
      ...(await place()),
      retention: { maxArtifacts: 2, minAgeMs: 0 },
    });
    for (const id of ["a", "b", "c", "d", "e"]) await put(workspace, id);
    await vi.waitFor(async () => {
      expect(await idsOf(workspace)).toHaveLength(2);
    }, 10_000);
    // One that was offloaded again is there again.
    await put(workspace, "a");
    expect(await idsOf(workspace)).toContain("a");
  });

  it("runs when a workspace is opened", async () => {
    const options = await place();
    const writer = createWorkspace(options);
    // More than one slice.
    for (let index = 0; index < 120; index++) await put(writer, `a${index}`, "s", 10);
    const opened = createWorkspace({ ...options, retention: { maxArtifacts: 2, minAgeMs: 0 } });
    await vi.waitFor(async () => {
      expect(await idsOf(writer)).toHaveLength(2);
    }, 30_000);
    await opened.close();
  });

  it("keeps to age by the clock of the record", async () => {
    const workspace = createWorkspace(await place());
    await put(workspace, "old");
    const real = Date.now;
    vi.spyOn(Date, "now").mockImplementation(() => real() + 2 * HOUR);
    try {
      await put(workspace, "new");
      const { removed } = await workspace.prune({ maxAgeMs: HOUR });
      expect(removed.map(({ artifactId }) => artifactId)).toEqual(["old"]);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it("tells of sessions, and removes one whole", async () => {
    const workspace = createWorkspace(await place());
    await put(workspace, "a", "s1", 100);
    await put(workspace, "b", "s1", 200);
    const { record } = await put(workspace, "c", "s2", 300);
    expect(await workspace.sessions()).toEqual([
      { sessionId: "s1", artifacts: 2, bytes: 300, lastWrittenAt: expect.any(String) as string },
      { sessionId: "s2", artifacts: 1, bytes: 300, lastWrittenAt: record.createdAt },
    ]);
    expect(await workspace.removeSession("s1")).toEqual({ artifacts: 2 });
    expect((await workspace.sessions()).map(({ sessionId }) => sessionId)).toEqual(["s2"]);
  });

  it("says once and finally that what was removed is gone, and names the tool to run again", async () => {
    const workspace = createWorkspace(await place());
    await put(workspace, "a");
    await workspace.remove("a", { sessionId: "s" });
    const [read] = workspace.tools({ sessionId: "s" });
    const { text, isError } = (await read?.execute({ artifact_id: "a" })) ?? {
      text: "",
      isError: false,
    };
    expect(isError).toBe(true);
    expect(text).toMatch(/removed.*Retrying will not help.*fetch/s);
  });

  it("may run in two processes at once", async () => {
    const options = await place();
    const [one, two] = [createWorkspace(options), createWorkspace(options)];
    for (let i = 0; i < 20; i++) await put(one, `a${i}`);
    const reports = await Promise.all(
      [one, two].map((workspace) => workspace.prune({ maxArtifacts: 5, minAgeMs: 0 })),
    );
    expect(reports).toHaveLength(2);
    expect(await idsOf(two)).toHaveLength(5);
  });
});
