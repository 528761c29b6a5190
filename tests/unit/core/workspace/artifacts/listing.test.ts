import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { queryByListing } from "../../../../../src/core/workspace/artifacts/list-artifacts.js";
import type { ArtifactRecord, Workspace } from "../../../../../src/index.js";
import { type SearchFilter, type ArtifactQuery } from "../../../../../src/stores.js";
import { MemoryStore } from "../../../../../src/testing/index.js";
import { openMemoryWorkspace } from "../../../../support/memory-workspace.js";
import { rejectionOf } from "../../../../support/rejection.js";

const idsOf = (artifacts: readonly ArtifactRecord[]) =>
  artifacts.map(({ artifactId }) => artifactId);
async function openFilled(): Promise<Workspace> {
  const workspace = openMemoryWorkspace();
  const put = (toolCallId: string, sessionId: string, metadata: Record<string, unknown>) =>
    workspace.put({ content: toolCallId, metadata }, { toolCallId, sessionId });
  await put("a1", "a", { task_id: "t1", tool_name: "bash", exit_code: 0, cached: true });
  await put("a2", "a", { task_id: "t2", tool_name: "browser", exit_code: 1 });
  await put("b1", "b", { task_id: "t1", context_type: "summary" });
  await put("b2", "b", { task_id: "t2", tool_name: "bash", exit_code: 0 });
  return workspace;
}
async function followCursors(
  workspace: Workspace,
  filter: SearchFilter,
  options: { limit: number; sessionId?: string },
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | undefined; ;) {
    const page = await workspace.queryArtifacts(filter, { ...options, cursor });
    pages.push(idsOf(page.artifacts));
    cursor = page.nextCursor;
    if (cursor === undefined) return pages;
    await between();
  }
}
describe("queryArtifacts", () => {
  it.each<[SearchFilter, string[]]>([
    [{}, ["a1", "a2", "b1", "b2"]],
    [{ context_type: "tool_result" }, ["a1", "a2", "b2"]],
    [{ context_type: "summary" }, ["b1"]],
    [{ task_id: "t1" }, ["a1", "b1"]],
    [{ session_id: "b" }, ["b1", "b2"]],
    [{ biz_id: "a2" }, ["a2"]],
    [{ context_type: "tool_result", task_id: "t2", session_id: "b" }, ["b2"]],
    [{ tool_name: "bash" }, ["a1", "b2"]],
    [{ tool_name: null }, ["b1"]],
    [{ exit_code: 0 }, ["a1", "b2"]],
    [{ exit_code: "0" }, []],
    [{ cached: true }, ["a1"]],
    [{ task_id: undefined, biz_id: "b1" }, ["b1"]],
    [{ session_id: "no-such" }, []],
    [{ unknown_key: "x" }, []],
    [{ toString: "x" }, []],
  ])("by %j", async (filter, ids) => {
    const { artifacts, nextCursor } = await (await openFilled()).queryArtifacts(filter);
    expect(idsOf(artifacts)).toEqual(ids);
    expect(nextCursor).toBeUndefined();
  });

  it("a session narrows it, and another one's name in the filter opens nothing", async () => {
    const workspace = await openFilled();
    const { artifacts } = await workspace.queryArtifacts({ task_id: "t1" }, { sessionId: "a" });
    expect(idsOf(artifacts)).toEqual(["a1"]);
    const other = await workspace.queryArtifacts({ session_id: "b" }, { sessionId: "a" });
    expect(other.artifacts).toEqual([]);
  });

  it("what was removed is not listed", async () => {
    const workspace = await openFilled();
    await workspace.remove("a1");
    expect(idsOf((await workspace.queryArtifacts()).artifacts)).toEqual(["a2", "b1", "b2"]);
  });

  it("an empty workspace has nothing", async () => {
    const page = await openMemoryWorkspace().queryArtifacts();
    expect(page).toEqual({ artifacts: [], nextCursor: undefined });
  });

  it("gives 50 unless told", async () => {
    const workspace = openMemoryWorkspace();
    for (let at = 0; at < 51; at++)
      await workspace.put({ content: `${at}` }, { sessionId: "default" });
    const { artifacts, nextCursor } = await workspace.queryArtifacts();
    expect(artifacts).toHaveLength(50);
    expect((await workspace.queryArtifacts({}, { cursor: nextCursor })).artifacts).toHaveLength(1);
  });

  it("property: following cursors lists each exactly once, in order", async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5 }), async (counts, limit) => {
        const workspace = openMemoryWorkspace();
        const ids: string[] = [];
        for (const [session, count] of counts.entries()) {
          for (let at = 0; at < count; at++) {
            const toolCallId = `${session}-${at}`;
            const kind = at % 2 ? "odd" : "even";
            await workspace.put(
              { content: toolCallId, metadata: { kind } },
              { toolCallId, sessionId: `s:${session}` },
            );
            ids.push(toolCallId);
          }
        }
        const pages = await followCursors(workspace, {}, { limit });
        expect(pages.flat()).toEqual(ids);
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
        const odd = await followCursors(workspace, { kind: "odd" }, { limit });
        expect(odd.flat()).toEqual(ids.filter((id) => Number(id.split("-")[1]) % 2));
      }),
      { numRuns: 15 },
    );
  });

  it("what is put between two pages neither repeats nor hides anything", async () => {
    const workspace = await openFilled();
    let added = 0;
    const pages = await followCursors(workspace, {}, { limit: 1 }, async () => {
      if (added++ > 4) return;
      await workspace.put({ content: `${added}` }, { toolCallId: `new${added}`, sessionId: "b" });
      await workspace.put(
        { content: `${added}` },
        { toolCallId: `A${added}`, sessionId: `0${added}` },
      );
    });
    const listed = pages.flat();
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.filter((id) => /^[ab]\d$/.test(id))).toEqual(["a1", "a2", "b1", "b2"]);
  });

  it.each(["", "x", "1", "1:no-such", "-1:a", "1:b:c"])(
    "what is not a cursor is refused: %j",
    async (cursor) => {
      const error = await rejectionOf((await openFilled()).queryArtifacts({}, { cursor }));
      expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "cursor" });
      expect(error.message).toContain("nextCursor");
    },
  );

  it("another session's cursor opens nothing", async () => {
    const workspace = await openFilled();
    const { nextCursor } = await workspace.queryArtifacts({ session_id: "b" }, { limit: 1 });
    const options = { sessionId: "a", cursor: nextCursor };
    expect((await rejectionOf(workspace.queryArtifacts({}, options))).code).toBe(
      "INVALID_ARGUMENT",
    );
  });

  it.each([0, -1, 1.5, NaN])("a limit of %d is refused", async (limit) => {
    const error = await rejectionOf((await openFilled()).queryArtifacts({}, { limit }));
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "limit" });
  });
});
describe("getToolResultOffloadInfo", () => {
  it("tells of each result its ids, tool, size and time", async () => {
    const workspace = openMemoryWorkspace({ countTokens: () => 7 });
    const before = new Date().toISOString();
    const metadata = { tool_name: "browser", action_name: "open", task_id: "t" };
    await workspace.put(
      { content: "two\nlines", metadata },
      { toolCallId: "call_1", sessionId: "s" },
    );
    const { artifacts, nextCursor } = await workspace.getToolResultOffloadInfo();
    const [info] = artifacts;
    expect(info).toEqual({
      artifact_id: "call_1",
      biz_id: "call_1",
      tool_name: "browser",
      action_name: "open",
      session_id: "s",
      task_id: "t",
      chars: 9,
      lines: 2,
      tokens: 7,
      created_at: info?.created_at,
    });
    expect(new Date(info?.created_at ?? "").toISOString()).toBe(info?.created_at);
    expect((info?.created_at ?? "") >= before).toBe(true);
    expect(nextCursor).toBeUndefined();
  });

  it("a page is as long as it may be, and says how many come after it", async () => {
    const workspace = await openFilled();
    const all = await workspace.getToolResultOffloadInfo({ maxChars: 1_000 });
    expect(all).toMatchObject({ artifacts: { length: 3 }, nextCursor: undefined, leftOut: 0 });
    const twoEntries = JSON.stringify(all.artifacts.slice(0, 2)).length;
    for (const [maxChars, shown] of [
      [twoEntries, 2],
      [twoEntries - 2, 1],
      [1, 1],
    ] as const) {
      const page = await workspace.getToolResultOffloadInfo({ maxChars, limit: 1e6 });
      expect(page).toMatchObject({ artifacts: { length: shown }, leftOut: 3 - shown });
      const { artifacts } = await workspace.getToolResultOffloadInfo({ cursor: page.nextCursor });
      expect([...page.artifacts, ...artifacts]).toEqual(all.artifacts);
    }
    const limited = await workspace.getToolResultOffloadInfo({ maxChars: 9_999, limit: 1 });
    expect(limited).toMatchObject({ artifacts: { length: 1 }, leftOut: 2 });
    const plain = await workspace.getToolResultOffloadInfo({ limit: 1 });
    expect(plain.leftOut).toBeUndefined();
    expect(await rejectionOf(workspace.getToolResultOffloadInfo({ maxChars: 0 }))).toMatchObject({
      argument: "maxChars",
    });
  });

  it("lists tool results only, by task and session, page by page", async () => {
    const workspace = await openFilled();
    const list = async (options: Parameters<Workspace["getToolResultOffloadInfo"]>[0]) =>
      (await workspace.getToolResultOffloadInfo(options)).artifacts.map((info) => info.artifact_id);
    expect(await list({})).toEqual(["a1", "a2", "b2"]);
    expect(await list({ namespace: "default", taskId: "t2" })).toEqual(["a2", "b2"]);
    expect(await list({ sessionId: "b" })).toEqual(["b2"]);
    expect(await list({ sessionId: "b", taskId: "t1" })).toEqual([]);
    const first = await workspace.getToolResultOffloadInfo({ limit: 2 });
    expect(await list({ cursor: first.nextCursor })).toEqual(["b2"]);
  });
});

async function storeOfSix(): Promise<MemoryStore> {
  const store = new MemoryStore();
  let time = 0;
  const workspace = openMemoryWorkspace({ store, clock: { now: () => (time += 1_000) } });
  for (let at = 0; at < 6; at++) {
    const metadata = { tool_name: at < 3 ? "bash" : "grep" };
    const options = { toolCallId: `t${at}`, sessionId: at % 2 === 0 ? "even" : "odd" };
    await workspace.put({ content: `content ${at}`, metadata }, options);
  }
  return store;
}
/** The ids of all pages, one after the other. */
async function pagesOf(query: Omit<ArtifactQuery, "limit">, limit: number): Promise<string[][]> {
  const store = await storeOfSix();
  const pages: string[][] = [];
  for (let after: string | undefined; ;) {
    const { artifacts } = await queryByListing(store, { ...query, limit, after });
    pages.push(artifacts.map(({ record }) => record.artifactId));
    after = artifacts.at(-1)?.cursor;
    if (artifacts.length < limit || after === undefined) return pages;
  }
}
describe("a listing", () => {
  it.each<[Omit<ArtifactQuery, "limit">, string[][]]>([
    [
      {},
      [
        ["t0", "t2", "t4", "t1"],
        ["t3", "t5"],
      ],
    ],
    [
      { newestFirst: true },
      [
        ["t5", "t4", "t3", "t2"],
        ["t1", "t0"],
      ],
    ],
    [{ sessionId: "odd" }, [["t1", "t3", "t5"]]],
    [{ filter: { tool_name: "grep" } }, [["t4", "t3", "t5"]]],
    [{ artifactIds: ["t1", "t2", "t9"] }, [["t2", "t1"]]],
  ])("by %j comes in pages, each artifact once", async (query, pages) => {
    expect(await pagesOf(query, 4)).toEqual(pages);
  });

  it("counts what a page leaves out, if it is asked to", async () => {
    const store = await storeOfSix();
    expect((await queryByListing(store, { limit: 2, countRest: true })).leftOut).toBe(4);
    expect((await queryByListing(store, { limit: 2 })).leftOut).toBeUndefined();
  });

  it.each(["", "[]", '["none","t1","x"]'])("refuses the cursor %j", async (after) => {
    const listing = queryByListing(await storeOfSix(), { limit: 2, after });
    await expect(listing).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});
