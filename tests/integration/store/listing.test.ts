import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Disk } from "../../../src/infrastructure/files/disk.js";
import { makeStore, openStore } from "../../support/store-files.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/** The sessions that have artifacts. */
async function sessionsOf(workspace: ReturnType<typeof openStore>): Promise<string[]> {
  const { artifacts } = await workspace.queryArtifacts();
  return artifacts.map(({ sessionId }) => sessionId);
}

describe("a listing of all sessions", () => {
  it("has a session that another process has begun since the last one", async () => {
    const { root, workspace } = await makeStore();
    await workspace.put({ content: "one" }, { toolCallId: "a", sessionId: "s1" });
    // Long after the folder has changed, so that what it holds is remembered.
    const later = Date.now() + 10_000;
    vi.spyOn(Date, "now").mockImplementation(() => later);
    expect(await sessionsOf(workspace)).toEqual(["s1"]);
    expect(await sessionsOf(workspace)).toEqual(["s1"]);
    // Clocks of file systems tick every few milliseconds.
    await sleep(50);
    await openStore(root).put({ content: "two" }, { toolCallId: "b", sessionId: "s2" });
    expect(await sessionsOf(workspace)).toEqual(["s1", "s2"]);
  });

  it("has one that was begun in the same tick of the clock", async () => {
    const { root, workspace } = await makeStore();
    await workspace.put({ content: "one" }, { toolCallId: "a", sessionId: "s1" });
    vi.spyOn(Disk.prototype, "changedMs").mockResolvedValue(Date.now());
    expect(await sessionsOf(workspace)).toEqual(["s1"]);
    await openStore(root).put({ content: "two" }, { toolCallId: "b", sessionId: "s2" });
    expect(await sessionsOf(workspace)).toEqual(["s1", "s2"]);
  });

  it("reads the names of sessions once while nothing changes", async () => {
    const { root, workspace } = await makeStore();
    await workspace.put({ content: "one" }, { toolCallId: "a", sessionId: "s1" });
    vi.spyOn(Disk.prototype, "changedMs").mockResolvedValue(1);
    expect(await sessionsOf(workspace)).toEqual(["s1"]);
    await openStore(root).put({ content: "two" }, { toolCallId: "b", sessionId: "s2" });
    expect(await sessionsOf(workspace)).toEqual(["s1"]);
  });

  it("has names in every script", async () => {
    const { root, workspace } = await makeStore();
    const metadata = { tool_name: "búsqueda 漢字 😀" };
    await workspace.put({ content: "one", metadata }, { toolCallId: "é", sessionId: "s1" });
    await workspace.put({ content: "two" }, { toolCallId: "plain", sessionId: "s1" });
    const { artifacts } = await openStore(root).queryArtifacts(metadata);
    expect(artifacts.map(({ artifactId }) => artifactId)).toEqual(["é"]);
  });
});
