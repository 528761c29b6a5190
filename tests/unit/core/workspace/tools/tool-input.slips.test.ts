import { describe, expect, it } from "vitest";
import { memoryWorkspaceOf, openMemoryWorkspace } from "../../../../support/memory-workspace.js";
import { numbered, toolRunner } from "../../../../support/run-tools.js";

const ORDERS = JSON.stringify({ orders: [1, 2, 3, 4].map((id) => ({ id, total: id * 10 })) });

describe("a slip that is clear is understood", () => {
  it.each<[string, string, unknown, string]>([
    [
      "no end_line",
      "get_knowledge_by_lines",
      { artifact_id: "a", start_line: 8 },
      "line 8\nline 9",
    ],
    [
      "a negative start",
      "get_knowledge_by_lines",
      { artifact_id: "a", start_line: -2 },
      "line 8\nline 9",
    ],
    [
      "a negative start before the first line",
      "get_knowledge_by_lines",
      { artifact_id: "a", start_line: -99, end_line: 2 },
      "line 1\nline 2",
    ],
    [
      "a negative end",
      "get_knowledge_by_lines",
      { artifact_id: "a", start_line: 7, end_line: "-2" },
      "line 7\nline 8",
    ],
    ["lines by id", "get_knowledge_by_id", { artifact_id: "a", start_line: 9 }, "line 9"],
    [
      "lines by id, to an end",
      "get_knowledge_by_id",
      { artifact_id: "a", end_line: 2 },
      "line 1\nline 2",
    ],
    [
      "blanks around the id",
      "get_knowledge_by_lines",
      { artifact_id: " a\n", start_line: 9, end_line: 9 },
      "line 9",
    ],
    [
      "the input as JSON",
      "get_knowledge_by_lines",
      '{"artifact_id":"a","start_line":9,"end_line":9}',
      "line 9",
    ],
    [
      "a field that the tool does not have",
      "get_knowledge_by_lines",
      { artifact_id: "a", start_line: 9, end_line: 9, why: "to see it" },
      '[Ignored, not a parameter: "why"]\nline 9',
    ],
  ])("%s", async (_, name, input, text) => {
    const run = toolRunner(await memoryWorkspaceOf(numbered(9)));
    expect(await run(name, input)).toEqual({ text, isError: false });
  });

  it.each<[string, object, string]>([
    ["a pointer without its first slash", { pointer: "orders/3/total" }, "40"],
    ["a slash for the whole", { pointer: "/", fields: ["orders"], limit: 1 }, '"orders"'],
    ["fields as JSON", { pointer: "/orders", fields: '["total"]', limit: "1" }, '"total":10'],
  ])("%s", async (_, input, part) => {
    const run = toolRunner(await memoryWorkspaceOf(ORDERS));
    const { text, isError } = await run("query_knowledge", { artifact_id: "a", ...input });
    expect(isError).toBe(false);
    expect(text.replaceAll(/\s/g, "")).toContain(part);
  });

  it("but what is there under a name as it stands comes first", async () => {
    const run = toolRunner(await memoryWorkspaceOf('{"a/b":1,"a":{"b":2},"":3}'));
    const query = async (pointer: string) =>
      (await run("query_knowledge", { artifact_id: "a", pointer })).text;
    expect(await query("a/b")).toBe("1");
    expect(await query("/a/b")).toBe("2");
    expect(await query("/")).toBe("3");
  });

  it("and an id with blanks that exists is that one", async () => {
    const workspace = openMemoryWorkspace();
    await workspace.put({ content: "plain" }, { sessionId: "default", toolCallId: "a" });
    await workspace.put({ content: "blank" }, { sessionId: "default", toolCallId: " a" });
    expect((await workspace.getKnowledgeById(" a")).text).toBe("blank");
    expect((await workspace.getKnowledgeById("a ")).text).toBe("plain");
  });

  it("an error names the ignored fields, too", async () => {
    const run = toolRunner(await memoryWorkspaceOf("x"));
    const { text, isError } = await run("grep_knowledge", { artifact_id: "a", query: "x" });
    expect(isError).toBe(true);
    expect(text).toMatch(/^INVALID_ARGUMENT: pattern is required: .*\n.*"query"/);
  });
});

describe("the cap of a read", () => {
  it("is an option of the workspace, and of its tools", async () => {
    const workspace = await memoryWorkspaceOf(numbered(5_000), { readChars: 1_000 });
    const lengthOf = async (options: object) => {
      const run = toolRunner(workspace, options);
      return (await run("get_knowledge_by_id", { artifact_id: "a" })).text.length;
    };
    expect((await workspace.getKnowledgeById("a")).text.length).toBeLessThanOrEqual(1_000);
    expect(await lengthOf({})).toBeGreaterThan(900);
    expect(await lengthOf({})).toBeLessThanOrEqual(1_000);
    expect(await lengthOf({ readChars: 300 })).toBeLessThanOrEqual(300);
    expect(() => workspace.tools({ readChars: 0 })).toThrow(/readChars must be/);
  });

  it("is filled, though a long line comes next", async () => {
    const workspace = await memoryWorkspaceOf(`short\n${"x".repeat(50_000)}\nend`);
    const reading = await workspace.getKnowledgeById("a");
    expect(reading.text).toHaveLength(20_000);
    const next = { artifact_id: "a", start_line: 2, end_line: 3, start_char: 19_995 };
    expect(reading.next?.input).toEqual(next);
  });
});
