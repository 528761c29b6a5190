import { describe, expect, it } from "vitest";
import { EMPTY_SESSION } from "../../../../src/core/offloader/session-index.js";
import { LocatedResult, ContentMemory } from "../../../../src/core/offloader/turn-memory.js";
import {
  ResultStorage,
  type StorageWiring,
} from "../../../../src/core/offloader/result-storage.js";
import { coreOf } from "../../../../src/core/workspace/workspace-core.js";
import { type Content } from "../../../../src/index.js";
import { WriteFailedError } from "../../../../src/errors.js";
import { MemoryStore } from "../../../../src/testing/memory-store.js";
import { countContentChars } from "../../../../src/core/engine/format.js";
import { logOf } from "../../../support/conversation.js";
import { openMemoryWorkspace } from "../../../support/memory-workspace.js";
import { toolResult } from "../../../support/tool-results.js";

function open(settings: Partial<StorageWiring> = {}, store = new MemoryStore()) {
  const workspace = openMemoryWorkspace({ store });
  const core = coreOf(workspace);
  const { countTokens } = core;
  const memory = new ContentMemory(core.hash, countTokens);
  const wiring = { core, countTokens, sessionId: "s1", ...settings };
  return {
    workspace,
    locate: (content: Content, id: string | undefined, wrapping?: unknown) =>
      new LocatedResult(
        { ...toolResult(""), content, chars: countContentChars(content), id, wrapping },
        0,
        "bash",
        memory,
      ),
    begin: async (signal?: AbortSignal) =>
      new ResultStorage(wiring, await core.listSession("s1"), signal),
    fresh: new ResultStorage(wiring, EMPTY_SESSION, undefined),
  };
}

describe("the storage of results", () => {
  it("stores under the call's id, with what is known of it", async () => {
    const { workspace, locate, fresh } = open({ agentId: "me", taskId: "t" });
    const stored = await fresh.put(locate(logOf(20_000), "a", { error: true }));
    expect(stored).toMatchObject({ artifactId: "a" });
    expect(stored?.referenceTokens).toBeLessThan(stored?.tokens ?? 0);
    expect((await workspace.getArtifact("a")).metadata).toMatchObject({
      biz_id: "a",
      agent_id: "me",
      task_id: "t",
      session_id: "s1",
      tool_name: "bash",
      offloaded_as: "reference",
      format_wrapping: { error: true },
    });
  });

  it("previews what it would store, and stores nothing", async () => {
    const { workspace, locate, fresh } = open();
    const result = locate(logOf(20_000), "a");
    const preview = fresh.preview(result);
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
    expect(preview).toEqual({ ...(await fresh.put(result)), artifactId: undefined });
  });

  it("keeps what would save too little, and says so", async () => {
    const { workspace, locate, fresh } = open();
    const result = locate("short", "a");
    expect(await fresh.put(result)).toBeUndefined();
    expect(fresh.kept.get(result)?.reason).toBe("its reference would save too little");
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
  });

  it("gives the plain id to the first of several results of one id", async () => {
    const { locate, fresh } = open();
    const stored = await Promise.all(
      ["one", "two", "three"].map(
        async (seed) => await fresh.put(locate(logOf(20_000, seed), "a")),
      ),
    );
    expect(stored.map((one) => one?.artifactId)).toEqual([
      "a",
      expect.stringMatching(/^a-[0-9a-f]{12}$/),
      expect.stringMatching(/^a-[0-9a-f]{12}$/),
    ]);
    expect(new Set(stored.map((one) => one?.reference)).size).toBe(3);
  });

  it("keeps the same content in another wrapping apart", async () => {
    const { workspace, locate, fresh } = open();
    const ids: (string | undefined)[] = [];
    for (const wrapping of [undefined, { type: "json" }, { type: "text" }, { type: "json" }]) {
      ids.push((await fresh.put(locate(logOf(20_000), "a", wrapping)))?.artifactId);
    }
    expect(new Set(ids).size).toBe(3);
    expect(ids[3]).toBe(ids[1]);
    const { metadata } = await workspace.getArtifact(ids[2] ?? "");
    expect(metadata["format_wrapping"]).toEqual({ type: "text" });
  });

  it("remembers what it stored, unless it was removed since", async () => {
    const { workspace, locate, fresh, begin } = open();
    const first = await fresh.put(locate(logOf(20_000), "a"));
    expect(await (await begin()).put(locate(logOf(20_000), "a"))).toBe(first);
    await workspace.remove("a");
    const again = await (await begin()).put(locate(logOf(20_000), "a"));
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
    expect(await workspace.getOriginal("a")).toBe(logOf(20_000));
  });

  describe("that fails", () => {
    const failing = () => {
      const store = new MemoryStore();
      store.put = () => Promise.reject(new WriteFailedError("a", "the disk is full"));
      return store;
    };

    it("throws by default", async () => {
      const { locate, fresh } = open({}, failing());
      await expect(fresh.put(locate(logOf(20_000), "a"))).rejects.toThrow("the disk is full");
    });

    it("keeps the result with onError: keep, and goes on with the next of that id", async () => {
      const { locate, fresh } = open({ onError: "keep" }, failing());
      const results = [locate(logOf(20_000), "a"), locate(logOf(20_000, "b"), "a")];
      expect(await Promise.all(results.map(async (result) => await fresh.put(result)))).toEqual([
        undefined,
        undefined,
      ]);
      expect([...fresh.kept.values()]).toMatchObject([
        { outcome: "failed", error: { code: "WRITE_FAILED" } },
        { outcome: "failed", error: { code: "WRITE_FAILED" } },
      ]);
    });

    it("does not take an aborted call for a failure of the store", async () => {
      const { locate, begin } = open({ onError: "keep" }, failing());
      const reason = new Error("enough");
      const storage = await begin(AbortSignal.abort(reason));
      await expect(storage.put(locate(logOf(20_000), "a"))).rejects.toBe(reason);
      expect(storage.kept.size).toBe(0);
    });
  });
});
