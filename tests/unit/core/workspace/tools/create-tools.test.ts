import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explainError } from "../../../../../src/core/workspace/tools/create-tools.js";
import { type ToolDescription, type ToolsOptions } from "../../../../../src/index.js";
import {
  KeyMissingError,
  PackageMissingError,
  ReadFailedError,
} from "../../../../../src/errors.js";
import { memoryWorkspaceOf, openMemoryWorkspace } from "../../../../support/memory-workspace.js";
import { bodyOf, numbered, toolRunner } from "../../../../support/run-tools.js";

describe("the tools", () => {
  it("have the names of the seed, a description and a JSON Schema", () => {
    const tools = openMemoryWorkspace().tools();
    expect(tools.map(({ name }) => name)).toEqual([
      "get_knowledge_by_id",
      "get_knowledge_by_lines",
      "grep_knowledge",
      "query_knowledge",
      "get_tool_result_offload_info",
    ]);
    for (const { description, inputSchema } of tools) {
      expect(description.length).toBeGreaterThan(20);
      expect(inputSchema).toMatchObject({ type: "object" });
      const names = Object.keys(inputSchema.properties);
      expect(names).toEqual(expect.arrayContaining([...inputSchema.required]));
      for (const [name, property] of Object.entries(inputSchema.properties)) {
        expect(name).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
        expect(["string", "integer", "boolean", "array"]).toContain(
          (property as { type: string }).type,
        );
      }
    }
  });

  it("advertise what a model needs, and accept the rest", async () => {
    const namesOf = (options: ToolsOptions) =>
      openMemoryWorkspace()
        .tools(options)
        .map(({ inputSchema }) => Object.keys(inputSchema.properties));
    const bound = [
      ["artifact_id"],
      ["artifact_id", "start_line", "end_line"],
      ["artifact_id", "pattern", "ignore_case", "context_before", "context_after", "count"],
      ["artifact_id", "pointer", "fields", "limit"],
      ["task_id"],
    ];
    expect(namesOf({ sessionId: "s" })).toEqual(bound);
    expect(namesOf({})).toEqual([...bound.slice(0, 4), ["task_id", "session_id"]]);
    const run = toolRunner(await memoryWorkspaceOf('["one","two"]', { sessionId: "s" }), {
      sessionId: "s",
    });
    const artifact = { artifact_id: "a", session_id: "s" };
    for (const [name, input] of [
      ["get_knowledge_by_id", { ...artifact, start_char: 1, end_char: 2, view: "raw" }],
      ["get_knowledge_by_lines", { ...artifact, start_line: 1, end_line: 1, start_char: 1 }],
      [
        "grep_knowledge",
        { ...artifact, pattern: "o", literal: true, max_results: 1, start_line: 1 },
      ],
      ["query_knowledge", { ...artifact, cursor: "0" }],
      ["get_tool_result_offload_info", { namespace: "default", session_id: "s", limit: 1 }],
    ] as const) {
      const { text, isError } = await run(name, input);
      expect(isError, text).toBe(false);
      expect(text).not.toContain("Ignored");
    }
  });

  it("take the agent's own names, without those that it does not get", async () => {
    const toolNames = { grep_knowledge: "search", query_knowledge: false } as const;
    const workspace = await memoryWorkspaceOf(numbered(200), { toolNames });
    expect(workspace.tools().map(({ name }) => name)).toEqual([
      "get_knowledge_by_id",
      "get_knowledge_by_lines",
      "search",
      "get_tool_result_offload_info",
    ]);
    const { text } = await toolRunner(workspace)("search", { artifact_id: "a", pattern: "line" });
    expect(text).toMatch(/Next: search\(/);
  });

  it("are answered with text and isError, whatever they are called with", async () => {
    const workspace = await memoryWorkspaceOf('{"a":[1,2]}');
    const tools = workspace.tools();
    const parameter = fc.constantFrom(
      ...tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties)),
    );
    const value = fc.oneof(
      fc.anything(),
      fc.constantFrom(
        "a",
        "1",
        1,
        0,
        -1,
        1.5,
        "(",
        "/a",
        "",
        null,
        true,
        ["a"],
        Infinity,
        "9".repeat(30),
      ),
    );
    const input = fc.oneof(
      fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true }),
      fc.dictionary(parameter, value),
      fc.record({
        artifact_id: fc.constant("a"),
        pattern: value,
        start_line: value,
        end_line: value,
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...tools), input, async (tool: ToolDescription, given) => {
        const answer = await tool.execute(given);
        expect(Object.keys(answer).sort()).toEqual(["isError", "text"]);
        expect(typeof answer.text).toBe("string");
        expect(answer.text).not.toBe("");
        if (answer.isError) expect(answer.text).toMatch(/^[A-Z_]+: /);
      }),
      { numRuns: 300 },
    );
  });

  it("an abort is an answer, too", async () => {
    const [tool] = (await memoryWorkspaceOf("x")).tools();
    const signal = AbortSignal.abort(new Error("the user left"));
    const answer = await tool?.execute({ artifact_id: "a" }, { signal });
    // The reason is the host's business, and handleToolCall throws it.
    const text = "ABORTED: The call was aborted before it had an answer.";
    expect(answer).toEqual({ isError: true, text });
  });
});

describe("a call", () => {
  it.each<[string, string, object]>([
    ["numbers", "get_knowledge_by_lines", { start_line: "2", end_line: " 3 " }],
    ["flags", "grep_knowledge", { pattern: "LINE [23]$", ignore_case: "true", literal: "false" }],
    ["null for what is left out", "grep_knowledge", { pattern: "line [23]$", max_results: null }],
    [
      "empty texts for what is left out",
      "grep_knowledge",
      { pattern: "line [23]$", session_id: "", view: "", start_line: "" },
    ],
  ])("takes %s as models write them", async (_, name, input) => {
    const run = toolRunner(await memoryWorkspaceOf(numbered(9)));
    const { text, isError } = await run(name, { artifact_id: "a", ...input });
    expect(isError).toBe(false);
    expect(text).toContain("line 2");
    expect(text).toContain("line 3");
    expect(text).not.toContain("line 4");
  });

  it("takes fields as a comma-separated text", async () => {
    const run = toolRunner(await memoryWorkspaceOf('[{"id":1,"name":"n","rest":0}]'));
    const { text } = await run("query_knowledge", { artifact_id: "a", fields: "id, name" });
    expect(JSON.parse(bodyOf(text))).toEqual([{ id: 1, name: "n" }]);
  });

  it("is answered with the text alone, or with what was left out and the next call", async () => {
    const run = toolRunner(await memoryWorkspaceOf(numbered(5_000)));
    const { text } = await run("get_knowledge_by_id", { artifact_id: "a" });
    const [, to = ""] = /line (\d+)\n\[/.exec(text) ?? [];
    const footing = text.split("\n").at(-1);
    const next = `{"artifact_id":"a","start_line":${Number(to) + 1},"end_line":5000}`;
    expect(footing).toBe(
      `[${5_000 - Number(to)} lines left out. Next: get_knowledge_by_lines(${next})]`,
    );
    expect(
      (await run("get_knowledge_by_lines", { artifact_id: "a", start_line: 1, end_line: 1 })).text,
    ).toBe("line 1");
  });

  it.each([
    [
      "get_knowledge_by_lines",
      { start_line: 9, end_line: 9 },
      /^OUT_OF_RANGE: start_line 9 to end_line 9/,
    ],
    ["get_knowledge_by_lines", { end_line: 2 }, /start_line is required: a whole number/],
    ["grep_knowledge", { pattern: "" }, /pattern must be a non-empty string, but it is empty\./],
    [
      "get_knowledge_by_lines",
      { start_line: "x", end_line: 2 },
      /start_line must be a whole number/,
    ],
    [
      "get_knowledge_by_lines",
      { start_line: 1, end_line: 2, end_char: 3 },
      /end_line .*start_line .*end_char/,
    ],
    [
      "get_knowledge_by_lines",
      { start_line: 9, end_line: 9, start_char: 1 },
      /^OUT_OF_RANGE: start_line 9/,
    ],
    ["get_knowledge_by_id", { start_char: 99 }, /^OUT_OF_RANGE: start_char 99/],
    ["get_knowledge_by_id", { view: "html" }, /view must be one of readable, raw/],
    ["grep_knowledge", {}, /^INVALID_ARGUMENT: pattern is required: /],
    ["grep_knowledge", { pattern: "(" }, /^INVALID_PATTERN: .*literal: true/],
    ["grep_knowledge", { pattern: "a", max_results: 0 }, /max_results must be/],
    ["grep_knowledge", { pattern: "a", context_before: -1 }, /context_before must be/],
    ["grep_knowledge", { pattern: "a", start_line: 99 }, /^OUT_OF_RANGE: start_line 99/],
    ["query_knowledge", { pointer: "/x" }, /^NOT_JSON: /],
    ["query_knowledge", { limit: 0 }, /limit must be/],
    ["query_knowledge", { cursor: "abc" }, /cursor must be .*"abc"/],
    [
      "get_knowledge_by_lines",
      { start_line: 9 },
      /^OUT_OF_RANGE: start_line 9 does not exist: the text has 2 lines/,
    ],
  ])("%s(%j) that is wrong gets a text to act on", async (name, input, message) => {
    const run = toolRunner(await memoryWorkspaceOf("one\ntwo"));
    const { text, isError } = await run(name, { artifact_id: "a", ...input });
    expect(isError).toBe(true);
    expect(text).toMatch(message);
    expect(text).not.toMatch(/startLine|endLine|startChar|maxResults|contextBefore|offset/);
  });
});

describe("an error that only the host can do something about", () => {
  it.each([
    new KeyMissingError("key-2024"),
    new ReadFailedError("/home/me/.offload/a.txt", new Error("EIO")),
    new PackageMissingError(["pg"], new Error("no pg")),
  ])("tells a model nothing of the host: $code", (error) => {
    const told = explainError(error);
    expect(told).toMatch(new RegExp(`^${error.code}: `));
    expect(told).not.toMatch(/key-2024|home|pg|encryption/);
  });
});
