import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explainError } from "../../../../../src/core/workspace/tools/create-tools.js";
import {
  ToolInput,
  inputSchemaOf,
  parametersOf,
  READING_TOOLS,
} from "../../../../../src/core/workspace/tools/reading-tools.js";
import {
  KeyMissingError,
  PackageMissingError,
  ReadFailedError,
} from "../../../../../src/errors.js";
import {
  type ToolDescription,
  type ToolsOptions,
  TOOL_NAMES,
  createOffloader,
  estimateTokens,
} from "../../../../../src/index.js";
import { memoryWorkspaceOf, openMemoryWorkspace } from "../../../../support/memory-workspace.js";
import { bodyOf, numbered, toolRunner, followPrinted } from "../../../../support/run-tools.js";

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
      expect(names).toEqual(expect.arrayContaining([...(inputSchema.required ?? [])]));
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
      ["artifact_id", "cursor"],
      ["artifact_id", "start_line", "end_line", "cursor"],
      [
        "artifact_id",
        "pattern",
        "ignore_case",
        "context_before",
        "context_after",
        "count",
        "cursor",
      ],
      ["artifact_id", "pointer", "where", "cursor"],
      ["task_id", "cursor"],
    ];
    expect(namesOf({ sessionId: "s" })).toEqual(bound);
    expect(namesOf({})).toEqual([...bound.slice(0, 4), ["task_id", "session_id", "cursor"]]);
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
    ["grep_knowledge", { pattern: "(" }, /^INVALID_PATTERN: .*escape/],
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

const inputOf = (value: unknown) => new ToolInput({ p: value }, ["p"]);
describe("the input of a tool call", () => {
  it("is taken in the type that was meant, whether it came as that or as text", () => {
    fc.assert(
      fc.property(fc.integer(), fc.boolean(), (count, flag) => {
        expect(inputOf(count).count("p")).toBe(count);
        expect(inputOf(` ${count} `).count("p")).toBe(count);
        expect(inputOf(count).text("p")).toBe(String(count));
        expect(inputOf(flag).flag("p")).toBe(flag);
        expect(inputOf(String(flag)).flag("p")).toBe(flag);
      }),
    );
  });

  it("takes a list as such, or separated by commas", () => {
    const name = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), (names) => {
        expect(inputOf(names).list("p")).toEqual(names);
        expect(inputOf(names.join(", ")).list("p")).toEqual(names);
      }),
    );
  });

  it.each([[null], [""], [undefined]])("takes %j for a parameter that is missing", (value) => {
    const input = inputOf(value);
    expect(input.text("p")).toBeUndefined();
    expect(input.count("p")).toBeUndefined();
    expect(input.flag("p")).toBeUndefined();
    expect(input.list("p")).toBeUndefined();
    expect(input.choice("p", ["a"])).toBeUndefined();
    for (const read of [() => input.requiredText("p"), () => input.requiredCount("p")]) {
      expect(read).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT", argument: "p" }));
    }
  });

  it("gives what is right or names what is wrong, whatever came", () => {
    const isRight = {
      text: (value: unknown) => typeof value === "string",
      count: (value: unknown) => typeof value === "number",
      flag: (value: unknown) => typeof value === "boolean",
      list: (value: unknown) => Array.isArray(value) && value.every((x) => typeof x === "string"),
    };
    const verb = fc.constantFrom(...(Object.keys(isRight) as (keyof typeof isRight)[]));
    fc.assert(
      fc.property(verb, fc.anything(), (name, value) => {
        try {
          const read = inputOf(value)[name]("p");
          expect(read === undefined || isRight[name](read)).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "p" });
        }
      }),
    );
  });

  it.each([
    ["count", "1.5"],
    ["count", "ten"],
    ["flag", "yes"],
    ["flag", 1],
    ["text", true],
    ["list", "a,,b"],
    ["list", [1]],
  ] as const)("refuses as %s what is not clear: %j", (name, value) => {
    expect(() => inputOf(value)[name]("p")).toThrow(/^p must be .*, but it is /);
  });

  it("takes one of the choices alone", () => {
    expect(inputOf("raw").choice("p", ["readable", "raw"])).toBe("raw");
    expect(() => inputOf("RAW").choice("p", ["readable", "raw"])).toThrow("readable, raw");
  });

  it.each(["text", 7, true, ["a"]])("is refused when it is not an object: %j", (input) => {
    expect(() => new ToolInput(input, [])).toThrow(/^input must be an object/);
  });

  it("may be missing as a whole; what the tool does not take is ignored, and named", () => {
    expect(new ToolInput(undefined, ["p"]).text("p")).toBeUndefined();
    expect(new ToolInput(null, ["p"]).text("p")).toBeUndefined();
    const input = new ToolInput({ q: 1, p: "x" }, ["p", "r"]);
    expect(input.ignored).toEqual(["q"]);
    expect(input.text("p")).toBe("x");
    expect(input.text("toString")).toBeUndefined();
  });

  it("may be JSON, and so may a list", () => {
    expect(new ToolInput('{"p": 7}', ["p"]).count("p")).toBe(7);
    expect(() => new ToolInput('["p"]', ["p"])).toThrow(/^input must be an object/);
    expect(inputOf('["a", "b,c"]').list("p")).toEqual(["a", "b,c"]);
  });

  it("shows a value as it was given", () => {
    expect(() => inputOf("").requiredText("p")).toThrow("but it is empty.");
    expect(() => inputOf(null).requiredText("p")).toThrow("but it is null.");
    expect(() => inputOf("abc").count("p")).toThrow('"abc"');
  });
});

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

describe("the table of the reading tools", () => {
  it("has all of them", () => {
    expect(Object.keys(READING_TOOLS).sort()).toEqual([...TOOL_NAMES].sort());
  });

  it.each(TOOL_NAMES)("%s advertises what it needs", (name) => {
    const tool = READING_TOOLS[name];
    const schema = inputSchemaOf(tool, true);
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining([...tool.required]));
    expect(schema.properties).not.toHaveProperty("session_id");
    const accepted = parametersOf(tool);
    expect(accepted).toContain("session_id");
    expect(new Set(accepted).size).toBe(accepted.length);
  });

  it("gives a schema of its own to each caller, with sessions where there are several", () => {
    const tool = READING_TOOLS.get_tool_result_offload_info;
    const schema = inputSchemaOf(tool, false);
    expect(schema.properties).toHaveProperty("session_id");
    schema.properties["mine"] = { type: "string" };
    expect(inputSchemaOf(tool, false).properties).not.toHaveProperty("mine");
  });
});

/** What tools and prompt may add to every request, in tokens. */
const MAX_TOKENS = 450;
const tokensOf = (tools: readonly object[]): number =>
  tools.reduce((sum, tool) => sum + estimateTokens(JSON.stringify(tool)), 0);
const describeTool = ({ name, description, inputSchema }: ToolDescription) => ({
  name,
  description,
  input_schema: inputSchema,
});
describe("what is added to every request", () => {
  it.each([{}, { sessionId: "session-1" }])("is at most 450 tokens, with tools(%j)", (options) => {
    const workspace = openMemoryWorkspace();
    const tools = tokensOf(workspace.tools(options).map(describeTool));
    const prompt = estimateTokens(workspace.systemPrompt());
    expect(tools).toBeGreaterThan(100);
    expect(tools + prompt).toBeLessThanOrEqual(MAX_TOKENS);
  });

  it.each([
    ["about 120 through an offloader", undefined, 1, 130],
    ["no more with five tools", "five", 5, MAX_TOKENS],
  ] as const)("is %s", async (_, readingTools, count, most) => {
    const workspace = openMemoryWorkspace();
    const settings = { workspace, sessionId: "s", format: "anthropic", readingTools } as const;
    const offloader = createOffloader(settings);
    const tools = offloader.tools();
    expect(tools).toHaveLength(count);
    const tokens = tokensOf(tools) + estimateTokens(offloader.systemPrompt());
    expect(tokens).toBeLessThanOrEqual(most);
    const { addedTokens } = await offloader.estimate([]);
    expect(Math.abs(addedTokens - tokens)).toBeLessThanOrEqual(20);
  });
});

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
      await workspace.put(
        { content: sessionId === "s1" ? "another" : numbered(9_000) },
        { toolCallId: "a", sessionId },
      );
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
