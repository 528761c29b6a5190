import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../../../../src/index.js";
import { MemoryStore } from "../../../../../src/testing/memory-store.js";
import { openMemoryWorkspace, type MemoryOptions } from "../../../../support/memory-workspace.js";
import { followPrinted, toolRunner } from "../../../../support/run-tools.js";

async function openSession(contents: readonly string[], options: MemoryOptions = {}) {
  // A clock that stands still: a busy machine does not come to the deadline of a search.
  const workspace = openMemoryWorkspace({ clock: { now: () => 0 }, ...options });
  for (const [index, content] of contents.entries()) {
    await workspace.put({ content }, { toolCallId: `id${index}`, sessionId: "s" });
  }
  return { workspace, run: toolRunner(workspace, { sessionId: "s" }) };
}

describe("a search without an id", () => {
  it("goes through all results of the session, newest first", async () => {
    const { workspace, run } = await openSession(["a needle", "nothing", "needle\nx\nneedles"]);
    await workspace.put({ content: "needle" }, { toolCallId: "foreign", sessionId: "t" });
    const { text } = await run("grep_knowledge", { pattern: "needle" });
    expect(text).toBe("[id2: 2 matches]\n1:needle\n3:needles\n[id0: 1 match]\n1:a needle");
  });

  it("with count, tells the number for each, and for one that is named", async () => {
    const { run } = await openSession(["a needle", "nothing", "needle\nx\nneedles"]);
    const input = { pattern: "needle", count: true };
    expect((await run("grep_knowledge", input)).text).toBe("id2: 2\nid0: 1");
    const one = await run("grep_knowledge", { ...input, artifact_id: "id2" });
    expect(one.text).toBe("id2: 2");
  });

  it("is bounded, counts what is left and gives the call for it", async () => {
    const many = Array.from({ length: 80 }, (_, at) => `needle ${at}`).join("\n");
    const { run } = await openSession(["needle", many]);
    const { text } = await run("grep_knowledge", { pattern: "needle" });
    expect(text).toMatch(/^\[id1: 80 matches\]\n1:needle 0\n/);
    const call = '{"artifact_id":"id1","pattern":"needle","start_line":51}';
    expect(text).toContain(
      `50:needle 49\n[id0: 1 match]\n[31 matches left out. Next: grep_knowledge(${call})]`,
    );
  });

  it("stays within the cap, and continues with the older ones", async () => {
    const { run, workspace } = await openSession(
      Array.from({ length: 40 }, (_, at) => `needle ${at}`),
      { readChars: 300 },
    );
    const pages = await followPrinted(run, "grep_knowledge", { pattern: "needle", count: true });
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(page.length).toBeLessThan(500);
    const ids = pages.flatMap((page) => page.match(/^id\d+(?=: 1$)/gm) ?? []);
    expect(ids).toEqual(Array.from({ length: 40 }, (_, at) => `id${39 - at}`));
    const { text } = await workspace.grepSession("needle", { sessionId: "s" });
    expect(text.length).toBeLessThanOrEqual(300);
  });

  it("goes through so many results at most, and says how many are older", async () => {
    const count = DEFAULTS.searchArtifacts + 5;
    const { run } = await openSession(
      Array.from({ length: count }, (_, at) => (at === 0 ? "needle" : "x")),
      { clock: { now: () => 0 } },
    );
    const [first, second] = await followPrinted(run, "grep_knowledge", { pattern: "needle" });
    expect(first).toContain("5 older results not searched");
    expect(second).toBe("[id0: 1 match]\n1:needle");
  });

  it("has one deadline for all", async () => {
    let now = 0;
    const deadlines: number[] = [];
    const { workspace } = await openSession(["1", "2", "3", "4"]);
    const slow = openMemoryWorkspace({
      clock: { now: () => now },
      searchText: (_source, _query, { deadlineMs }) => {
        deadlines.push(deadlineMs);
        now += 400;
        return Promise.resolve({ matches: [], matchingLines: 0, scannedLines: 1, complete: true });
      },
    });
    for (let at = 0; at < 4; at++)
      await slow.put({ content: `${at}` }, { sessionId: "default", toolCallId: `id${at}` });
    const reading = await slow.grepSession("x", { deadlineMs: 1_000 });
    expect(deadlines).toEqual([1_000, 600, 200]);
    expect(reading.note).toContain("1 older result not searched");
    expect(reading.next?.input).toMatchObject({ pattern: "x" });
    const { cursor } = reading.next?.input as { cursor: string };
    expect((await slow.grepSession("x", { cursor })).note).toBe("No match.");
    await workspace.close();
  });

  it("is not spoiled by a result that cannot be read", async () => {
    const store = new MemoryStore();
    const { run, workspace } = await openSession(["needle", "needle too"], { store });
    const open = store.open.bind(store);
    const { ArtifactGoneError } = await import("../../../../../src/errors.js");
    store.open = (record) =>
      record.artifactId === "id1"
        ? Promise.reject(new ArtifactGoneError("id1", "missing"))
        : open(record);
    const { text } = await run("grep_knowledge", { pattern: "needle" });
    expect(text).toBe("[id0: 1 match]\n1:needle\n[1 result could not be read.]");
    await workspace.close();
  });

  it("without a match tells what would match", async () => {
    const { run } = await openSession(["Needle", "x"]);
    const { text } = await run("grep_knowledge", { pattern: "needle" });
    const call = '{"pattern":"needle","ignore_case":true}';
    expect(text).toBe(`[No match. 1 ignoring case. Next: grep_knowledge(${call})]`);
    expect((await run("grep_knowledge", { pattern: "/NEEDLE/i" })).text).toContain("1:Needle");
    expect((await run("grep_knowledge", { pattern: "(" })).text).toMatch(/^INVALID_PATTERN/);
    expect((await run("grep_knowledge", { pattern: "x", cursor: "abc" })).text).toContain('"abc"');
  });
});
