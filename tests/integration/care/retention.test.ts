import { randomBytes } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import {
  createOffloader,
  createWorkspace,
  memoryStore,
  type Workspace,
} from "../../../src/index.js";
import { minTokens } from "../../../src/policies.js";
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
  [
    "files, encrypted",
    async () => ({ root: await makeTempFolder(), encryption: { key: randomBytes(32) } }),
  ],
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

  it("removes nothing that a put or an offload returned in the last hour", async () => {
    const options = await place();
    const offloading = { sessionId: "s", format: "anthropic", policy: minTokens(100) } as const;
    const text = Array.from({ length: 400 }, (_, i) => `line ${i} of ${i * 7919}`).join("\n");
    const history = [
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "log", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: text }] },
    ];
    const real = Date.now;
    let passedMs = 0;
    vi.spyOn(Date, "now").mockImplementation(() => real() + passedMs);
    try {
      const workspace = createWorkspace(options);
      const offloader = createOffloader({ workspace, ...offloading });
      const { messages } = await offloader.offload(history);
      expect(await offloader.restore(messages)).toEqual(history);
      await put(workspace, "again");
      await put(workspace, "old");
      const limits = { maxAgeMs: HOUR, maxArtifacts: 0 };
      // The originals, in this process and in a new one, and the references: all of them hand it out.
      const turns = [
        () => offloader.offload(history),
        () => createOffloader({ workspace, ...offloading }).offload(history),
        () => offloader.offload(messages),
        () => createOffloader({ workspace, ...offloading }).offload(messages),
      ];
      for (const turn of turns) {
        passedMs += 48 * HOUR;
        expect((await turn()).messages).toEqual(messages);
        await put(workspace, "again");
        passedMs += HOUR - 1_000;
        await workspace.prune(limits);
        expect((await idsOf(workspace)).sort()).toEqual(["again", "t1"]);
        expect(await createOffloader({ workspace, ...offloading }).restore(messages)).toEqual(
          history,
        );
      }
      passedMs += 2 * HOUR;
      await workspace.prune(limits);
      expect(await idsOf(workspace)).toEqual([]);
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

  it("says once and finally that what was removed is gone, and to run the tool again", async () => {
    const workspace = createWorkspace(await place());
    await put(workspace, "a");
    await workspace.remove("a", { sessionId: "s" });
    const [read] = workspace.tools({ sessionId: "s" });
    const { text, isError } = (await read?.execute({ artifact_id: "a" })) ?? {
      text: "",
      isError: false,
    };
    expect(isError).toBe(true);
    expect(text).toMatch(/removed.*Retrying will not help.*run the tool again/s);
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

it("ends when the workspace is closed: nothing is removed from a store that may be closed as well", async () => {
  vi.useFakeTimers();
  try {
    const opened = memoryStore()("default");
    const looks = vi.spyOn(opened, "sessions");
    const store = () => opened;
    const retention = { maxArtifacts: 0, minAgeMs: 0 };
    const isRun = async () => {
      looks.mockClear();
      await vi.advanceTimersByTimeAsync(600_000);
      return looks.mock.calls.length > 0;
    };
    const workspace = createWorkspace({ store, retention, ledger: false });
    await put(workspace, "a");
    expect(await isRun()).toBe(true);
    await put(workspace, "b");
    await workspace.close();
    expect(await isRun()).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});
