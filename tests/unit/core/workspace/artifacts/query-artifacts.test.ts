import { describe, expect, it } from "vitest";
import type { ArtifactQuery } from "../../../../../src/core/workspace/artifacts/artifact-store.js";
import { queryByListing } from "../../../../../src/core/workspace/artifacts/list-artifacts.js";
import { MemoryStore } from "../../../../../src/testing/index.js";
import { openMemoryWorkspace } from "../../../../support/memory-workspace.js";

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
    [{ removed: true }, [[]]],
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
