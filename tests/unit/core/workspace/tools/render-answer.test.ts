import { describe, expect, it } from "vitest";
import { memoryWorkspaceOf, openMemoryWorkspace } from "../../../../support/memory-workspace.js";
import { bodyOf, followPrinted, numbered, toolRunner } from "../../../../support/run-tools.js";

describe("the printed next call can be made as it stands", () => {
  it("by lines", async () => {
    const run = toolRunner(await memoryWorkspaceOf(numbered(9_000)));
    const answers = await followPrinted(run, "get_knowledge_by_id", { artifact_id: "a" });
    expect(answers.length).toBeGreaterThan(3);
    expect(answers.map(bodyOf).join("\n")).toBe(numbered(9_000));
  });

  it("inside of long lines, and behind them", async () => {
    const lines = ["x".repeat(50_000), "short", "y".repeat(30_000), "end"];
    const run = toolRunner(await memoryWorkspaceOf(lines.join("\n")));
    const answers = await followPrinted(run, "get_knowledge_by_id", { artifact_id: "a" });
    expect(answers.map(bodyOf).join("").replace(/\n/g, "")).toBe(lines.join(""));
  });

  it("by characters, raw", async () => {
    const content = JSON.stringify(numbered(9_000).split("\n"));
    const run = toolRunner(await memoryWorkspaceOf(content));
    const input = { artifact_id: "a", start_char: 1, view: "raw" };
    const answers = await followPrinted(run, "get_knowledge_by_id", input);
    expect(answers.map(bodyOf).join("")).toBe(content);
  });

  it("of a search", async () => {
    const run = toolRunner(await memoryWorkspaceOf(numbered(300)));
    const input = { artifact_id: "a", pattern: "LINE", ignore_case: true, max_results: 90 };
    const answers = await followPrinted(run, "grep_knowledge", input);
    expect(answers).toHaveLength(4);
    expect(answers.map(bodyOf).join("\n").match(/:line/g)).toHaveLength(300);
  });

  it("of a query", async () => {
    const rows = Array.from({ length: 70 }, (_, id) => ({ id, rest: "x" }));
    const run = toolRunner(await memoryWorkspaceOf(JSON.stringify({ 'a"b': rows })));
    const input = { artifact_id: "a", pointer: '/a"b', fields: ["id"], limit: 30 };
    const answers = await followPrinted(run, "query_knowledge", input);
    expect(answers.flatMap((text) => JSON.parse(bodyOf(text)) as unknown[])).toEqual(
      rows.map(({ id }) => ({ id })),
    );
  });

  it("of a listing, which is as narrow as before", async () => {
    const workspace = openMemoryWorkspace();
    for (let at = 0; at < 12; at++) {
      const metadata = { task_id: at % 2 ? "odd" : "even" };
      const place = { toolCallId: `id${at}`, sessionId: at < 8 ? "s1" : "s2" };
      await workspace.put({ content: `${at}`, metadata }, place);
    }
    const input = { task_id: "odd", session_id: "s1", limit: 1 };
    const answers = await followPrinted(
      toolRunner(workspace),
      "get_tool_result_offload_info",
      input,
    );
    const ids = answers.map(
      (text) => (JSON.parse(text.split("\n")[0] ?? "") as { artifact_id: string }).artifact_id,
    );
    expect(ids).toEqual(["id1", "id3", "id5", "id7"]);
  });

  it("an id that several sessions hold tells the parameter to add", async () => {
    const workspace = openMemoryWorkspace();
    for (const sessionId of ["s1", "s2"])
      await workspace.put({ content: numbered(9_000) }, { toolCallId: "a", sessionId });
    const run = toolRunner(workspace);
    const { text } = await run("get_knowledge_by_id", { artifact_id: "a" });
    expect(text).toMatch(/^AMBIGUOUS_ARTIFACT: .*"s1", "s2".* session_id/);
    const answers = await followPrinted(run, "get_knowledge_by_id", {
      artifact_id: "a",
      session_id: "s2",
    });
    expect(answers.map(bodyOf).join("\n")).toBe(numbered(9_000));
  });
});
