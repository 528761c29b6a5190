import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSearcher } from "../../../src/infrastructure/search/searcher.js";
import { CountingStore } from "../../support/counting-store.js";
import { listTree } from "../../support/list-tree.js";
import { openMemoryWorkspace } from "../../support/memory-workspace.js";
import { rejectionOf } from "../../support/rejection.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { workspaceOf } from "./open-workspace.js";

const big = "some words on a line\n".repeat(100_000);

describe("what a search costs", () => {
  it("no index of the lines is made for it", async () => {
    const root = await makeTempFolder();
    const workspace = await workspaceOf(big, { root });
    await workspace.grepKnowledge("a", "words", { startLine: 90_000 });
    const made = async () => (await listTree(root)).filter((path) => path.includes("index"));
    expect(await made()).toEqual([]);
    await workspace.getKnowledgeByLines("a", 1, 2);
    expect(await made()).not.toEqual([]);
  });
});

describe("a workspace that was closed", () => {
  it("says so, without a path of this machine", async () => {
    const root = await makeTempFolder();
    const workspace = await workspaceOf("text", { root });
    await workspace.close();
    const error = await rejectionOf(workspace.grepKnowledge("a", "text"));
    expect(error.code).toBe("SEARCH_FAILED");
    expect(error.message).toContain("closed");
    expect(error.message).not.toContain(root);
  });
});

describe("a store without files", () => {
  it("is searched in pieces, once, and never loaded as a whole", async () => {
    const searcher = createSearcher("a place");
    onTestFinished(() => searcher.close());
    const store = new CountingStore();
    const workspace = openMemoryWorkspace({
      store,
      searchText: (source, query, options) => searcher.search(source, query, options),
    });
    const content = `${big.repeat(3)}needle`;
    await workspace.put({ content }, { sessionId: "default", toolCallId: "a" });
    expect((await workspace.grepKnowledge("a", "needle|nothing")).text).toBe("300001:needle");
    // And a look at how it begins, to see whether it is JSON.
    expect(store.total - content.length).toBeLessThan(5_000);
    expect(store.largest).toBeLessThan(content.length / 4);
    expect(store.derived).toEqual([]);
  });
});

describe("a pattern that backtracks without end", () => {
  const EVIL = "^(a+)+$";
  const evilLine = `${"a".repeat(50_000)}b`;

  it("is answered or refused by its deadline, and the event loop turns meanwhile", async () => {
    const workspace = await workspaceOf(`x\n${evilLine}\nb`);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    const outcome = await workspace
      .grepKnowledge("a", EVIL, { deadlineMs: 400 })
      .catch((error: unknown) => error)
      .finally(() => {
        clearInterval(timer);
      });
    if (outcome instanceof Error) {
      expect(outcome).toMatchObject({ code: "SEARCH_TIMEOUT", deadlineMs: 400 });
      expect(outcome.message).toContain("400 ms");
      expect(turns).toBeGreaterThan(3);
    } else expect(outcome).toMatchObject({ text: "" });
  });

  it("what was found before the deadline is shown, with the line to go on from", async () => {
    const workspace = await workspaceOf(`aaa\nx\n${evilLine}\naa`);
    const reading = await workspace.grepKnowledge("a", EVIL, { deadlineMs: 400 });
    expect(reading.text.split("\n")[0]).toBe("1:aaa");
    if (reading.note === undefined) expect(reading.text).toBe("1:aaa\n4:aa");
    else {
      expect(reading.note).toMatch(/stopped after 400 ms, (?:1 line|2 lines) in/);
      expect([2, 3]).toContain(reading.next?.input["start_line"]);
    }
  });

  it("does not keep the next search from being answered", async () => {
    const workspace = await workspaceOf(`${evilLine}\nneedle`);
    const evil = workspace.grepKnowledge("a", EVIL, { deadlineMs: 300 }).catch(() => undefined);
    await sleep(20);
    expect((await workspace.grepKnowledge("a", "needle")).text).toBe("2:needle");
    await evil;
    expect((await workspace.grepKnowledge("a", "needle")).text).toBe("2:needle");
  });
});
