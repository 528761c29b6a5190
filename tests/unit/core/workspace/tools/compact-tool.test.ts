import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TOOL_NAMES, type NextCall, type Workspace } from "../../../../../src/index.js";
import { memoryWorkspaceOf, openMemoryWorkspace } from "../../../../support/memory-workspace.js";
import { bodyOf, followPrinted, numbered, toolRunner } from "../../../../support/run-tools.js";

type FiveToolName = NextCall["tool"];
type Input = Readonly<Record<string, unknown>>;
const run = (workspace: Workspace, input?: unknown, readChars?: number) =>
  toolRunner(workspace, { readChars })("read_stored", input);

const JSON_TEXT = JSON.stringify({
  items: Array.from({ length: 45 }, (_, at) => ({ id: at, name: `item ${at}`, tags: ["a", "b"] })),
  "": { "a/b": 1 },
  total: 45,
});
const TEXTS = {
  text: `${numbered(120)}\nERROR one\nline again\nError two\n${"x".repeat(3_000)}\nlast`,
  json: JSON_TEXT,
  list: JSON.stringify(Array.from({ length: 60 }, (_, at) => `value ${at}`)),
  empty: "",
};
const IDS = Object.keys(TEXTS);

async function openAll(): Promise<Workspace> {
  const workspace = openMemoryWorkspace();
  for (const [toolCallId, content] of Object.entries(TEXTS)) {
    await workspace.put(
      { content, metadata: { context_type: "tool_result", task_id: `task-${toolCallId}` } },
      { toolCallId, sessionId: "default" },
    );
  }
  return workspace;
}

/** The lines that these parameters ask for, in one. */
function linesOf(start: number, end: number | undefined): string {
  return end === undefined ? String(start) : `${start}-${end}`;
}

/** The call of the compact tool that asks for the same, with the parameters that it advertises. */
function compactOf(tool: FiveToolName, { artifact_id, ...input }: Input): Input {
  const { start_line, end_line, ...rest } = input;
  const id = artifact_id === undefined ? {} : { id: artifact_id };
  const lines =
    start_line === undefined && end_line === undefined
      ? {}
      : { lines: linesOf(Number(start_line ?? 1), end_line as number | undefined) };
  const pointer = tool === "query_knowledge" ? { pointer: input["pointer"] || "#" } : {};
  return { ...id, ...lines, ...rest, ...pointer };
}

const id = fc.constantFrom(...IDS, "none");
const line = fc.integer({ min: -130, max: 130 }).filter((at) => at !== 0);
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const record = (tool: FiveToolName, model: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .record(model)
    .map((given): [FiveToolName, Input] => [
      tool,
      Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ]);
const anyCall = fc.oneof(
  record("get_knowledge_by_id", {
    artifact_id: id,
    view: some(fc.constantFrom("raw", "readable")),
  }),
  record("get_knowledge_by_id", {
    artifact_id: id,
    start_char: fc.nat(400),
    end_char: some(fc.nat(4_000)),
  }),
  record("get_knowledge_by_lines", { artifact_id: id, start_line: line, end_line: some(line) }),
  record("get_knowledge_by_lines", {
    artifact_id: id,
    start_line: line,
    start_char: fc.integer({ min: 1, max: 9 }),
  }),
  record("grep_knowledge", {
    artifact_id: some(id),
    pattern: fc.constantFrom("line", "error", "item \\d", "(", "x{9}", "nothing at all"),
    ignore_case: some(fc.boolean()),
    literal: some(fc.boolean()),
    context_before: some(fc.nat(2)),
    context_after: some(fc.nat(2)),
    max_results: some(fc.integer({ min: 1, max: 9 })),
    count: some(fc.boolean()),
  }),
  record("grep_knowledge", {
    artifact_id: id,
    pattern: fc.constant("line"),
    start_line: fc.integer({ min: 1, max: 200 }),
  }),
  record("query_knowledge", {
    artifact_id: id,
    pointer: some(fc.constantFrom("", "/items", "/items/3", "/", "/nope", "items.2.name", "#")),
    limit: some(fc.integer({ min: 1, max: 50 })),
    fields: some(fc.constantFrom(["id"], ["id", "name"], ["nope"])),
    cursor: some(fc.constantFrom("0", "20", "wrong")),
  }),
  record("get_tool_result_offload_info", {
    limit: some(fc.integer({ min: 1, max: 5 })),
    task_id: some(fc.constantFrom("task-json", "none")),
    cursor: some(fc.constantFrom("1", "wrong")),
  }),
);
/** The call that continues is the tool's own. */
const withoutNext = (text: string) => text.replace(/ ?Next: [\w.]+\(.*\)/g, "");

describe("the compact reading tool", () => {
  it("answers what each of the five answers, in the same words", async () => {
    const workspace = await openAll();
    const runFive = toolRunner(workspace, { readChars: 100_000 });
    let successes = 0;
    await fc.assert(
      fc.asyncProperty(anyCall, async ([tool, input]) => {
        const five = await runFive(tool, input);
        const compact = await run(workspace, compactOf(tool, input), 100_000);
        expect(compact.isError, `${five.text}\n${compact.text}`).toBe(five.isError);
        if (five.isError) {
          expect(compact.text.split(":")[0]).toBe(five.text.split(":")[0]);
          return;
        }
        successes += 1;
        expect(withoutNext(compact.text)).toBe(withoutNext(five.text));
        expect(compact.text.includes("Next: ")).toBe(five.text.includes("Next: "));
      }),
      { numRuns: 400 },
    );
    expect(successes).toBeGreaterThan(100);
  });

  it("names in the call that continues only what a schema has, or a view or a limit that was given", async () => {
    const workspace = await openAll();
    const schemas = new Map(
      workspace
        .tools({ readingTools: "all" })
        .map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties)]),
    );
    let calls = 0;
    await fc.assert(
      fc.asyncProperty(anyCall, fc.integer({ min: 300, max: 900 }), async ([tool, input], most) => {
        const runAny = toolRunner(workspace, { readChars: most });
        for (const [name, given] of [
          [tool, input],
          ["read_stored", compactOf(tool, input)],
        ] as const) {
          const { text } = await runAny(name, given);
          const [, next = "", json = "{}"] = /Next: (\w+)\((.*)\)\]$/.exec(text) ?? [];
          for (const parameter of Object.keys(JSON.parse(json) as object)) {
            calls += 1;
            const kept = ["view", "limit"].filter((name) => name in given);
            expect([...(schemas.get(next) ?? []), ...kept], text).toContain(parameter);
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(calls).toBeGreaterThan(50);
  });

  it.each<[string, Input, RegExp]>([
    ["by lines", { id: "text" }, /last$/],
    ["from a line on", { id: "text", lines: "40-" }, /last$/],
    ["inside of a long line", { id: "text", lines: "124" }, /x$/],
    ["of a search", { id: "text", pattern: "line", max_results: 9 }, /line again/],
    ["of a search everywhere", { pattern: "e", max_results: 7 }, /./],
    ["of JSON", { id: "json", pointer: "/items", limit: 7 }, /item 44/],
    ["of JSON as a whole", { id: "list", pointer: "#" }, /value 59/],
    ["of the list", { limit: 1 }, /"artifact_id":"empty"/],
  ])("is continued with itself, as it is printed: %s", async (_, input, end) => {
    const workspace = await openAll();
    const runOne = toolRunner(workspace, { readChars: 700 });
    const answers = await followPrinted(runOne, "read_stored", input);
    expect(answers.length).toBeGreaterThan(1);
    expect(bodyOf(answers.join("\n"))).toMatch(end);
    for (const answer of answers) expect(answer).not.toMatch(/_knowledge|offload_info|Ignored/);
  });

  it("gives the whole text when its calls are followed", async () => {
    const workspace = await memoryWorkspaceOf(numbered(9_000));
    const runOne = toolRunner(workspace);
    const answers = await followPrinted(runOne, "read_stored", { id: "a" });
    expect(answers.map(bodyOf).join("\n")).toBe(numbered(9_000));
  });

  it("and each of the five is continued with one of the five", async () => {
    const workspace = await memoryWorkspaceOf(numbered(9_000));
    const { text } = await toolRunner(workspace)("grep_knowledge", { pattern: "line" });
    expect(text).toMatch(/Next: grep_knowledge\(/);
  });

  it("has the agent's own name, in its calls, the prompt and the references, or is switched off", async () => {
    const workspace = await memoryWorkspaceOf(numbered(9_000), {
      toolNames: { read_stored: "peek" },
    });
    const [tool, ...others] = workspace.tools({ readingTools: "one" });
    expect(others).toEqual([]);
    expect(tool?.name).toBe("peek");
    expect((await tool?.execute({ id: "a" }))?.text).toMatch(/Next: peek\(/);
    expect(workspace.systemPrompt({ readingTools: "one" })).toMatch(/\bpeek\b/);
    const off = openMemoryWorkspace({ toolNames: { read_stored: false } });
    expect(off.tools({ readingTools: "one" })).toEqual([]);
    expect(off.systemPrompt({ readingTools: "one" })).not.toMatch(/read_stored|_knowledge/);
  });

  it.each<[unknown, string]>([
    ["2-2", "line 2"],
    ["8", "line 8\nline 9"],
    [8, "line 8\nline 9"],
    ["2 chars 3-4", "ne"],
    ["2-3", "line 2\nline 3"],
    [" 2 - 3 ", "line 2\nline 3"],
    ["2–3", "line 2\nline 3"],
    ["2:3", "line 2\nline 3"],
    ["2..3", "line 2\nline 3"],
    ["8-", "line 8\nline 9"],
    ["-2", "line 8\nline 9"],
    [-2, "line 8\nline 9"],
    ["-3--2", "line 7\nline 8"],
    ["7-99", "line 7\nline 8\nline 9"],
  ])("takes the lines %j", async (lines, text) => {
    const workspace = await memoryWorkspaceOf(numbered(9));
    expect(await run(workspace, { id: "a", lines })).toEqual({ isError: false, text });
  });

  it.each<[string, unknown, string]>([
    ["numbers as ids", { id: 5, lines: "1-1" }, "line 1"],
    ["JSON as input", '{"id":"5","lines":"1-1"}', "line 1"],
    [
      "empty texts for what is left out",
      { id: "5", lines: "1-1", pattern: "", pointer: "" },
      "line 1",
    ],
    [
      "null for what is left out",
      { id: "5", lines: "1-1", pattern: null, pointer: null },
      "line 1",
    ],
    ["the parameters of the five", { artifact_id: "5", start_line: "1", end_line: "1" }, "line 1"],
    ["a line to search from", { id: "5", pattern: "line", lines: "9-" }, "9:line 9"],
  ])("takes %s", async (_, input, text) => {
    const workspace = openMemoryWorkspace();
    await workspace.put({ content: numbered(9) }, { toolCallId: "5", sessionId: "default" });
    expect(await run(workspace, input)).toEqual({ isError: false, text });
  });

  it.each<[Input, RegExp]>([
    [{ id: "a", lines: "abc" }, /^INVALID_ARGUMENT: lines must be .*"10-40".*but it is .*"abc"/],
    [{ id: "a", lines: "1-2,4" }, /^INVALID_ARGUMENT: lines must be .*"10-40"/],
    [{ id: "a", lines: [1, 2] }, /^INVALID_ARGUMENT: lines must be .*"10-40"/],
    [{ id: "a", lines: "9".repeat(30) }, /^INVALID_ARGUMENT: lines must be .*"10-40"/],
    [{ id: "a", lines: true }, /^INVALID_ARGUMENT: lines must be .*"10-40"/],
    [{ id: "a", lines: "0-2" }, /^OUT_OF_RANGE: .*has 2 lines\. Pass lines within "1-2"/],
    [{ id: "a", lines: "2-1" }, /^OUT_OF_RANGE: .*has 2 lines\. Pass lines within "1-2"/],
    [{ id: "a", lines: "9" }, /^OUT_OF_RANGE: .*has 2 lines\. Pass lines within "1-2"/],
    [{ id: "a", pattern: "x", pointer: "/y" }, /^NOT_JSON: /],
    [{ id: "a", pattern: "x", query: "price>5" }, /Pass pattern or query, not both: .*"context 3"/],
    [{ pattern: "x", pointer: "/y" }, /^INVALID_ARGUMENT: id is required: /],
    [{ id: "a", lines: "1", pointer: "/y" }, /Pass lines or query, not both/],
    [{ id: "a", pattern: "x", lines: "2-1" }, /^INVALID_ARGUMENT: lines must be/],
    [{ id: "a", pattern: "x", lines: "9-" }, /^OUT_OF_RANGE: .*Pass lines within "1-2"/],
    [{ id: "a", lines: "1-2", end_char: 3 }, /lines must be one line, such as "7", with end_char/],
    [{ lines: "1-2" }, /^INVALID_ARGUMENT: id is required: .*without arguments lists/],
    [{ pointer: "/y" }, /^INVALID_ARGUMENT: id is required: /],
    [{ id: "none" }, /^UNKNOWN_ARTIFACT: There is no artifact "none"\..*"a"/],
    [{ id: {} }, /^INVALID_ARGUMENT: id must be a string/],
    [{ id: "a", pattern: "(" }, /^INVALID_PATTERN: /],
    [{ id: "a", pattern: ["x"] }, /^INVALID_ARGUMENT: pattern must be a string/],
    [{ id: "a", pointer: "/y" }, /^NOT_JSON: .*by lines or search it with a pattern/],
    [{ id: "a", limit: "many", pointer: "/" }, /^INVALID_ARGUMENT: limit must be/],
    [{ cursor: "wrong" }, /^INVALID_ARGUMENT: cursor must be/],
  ])("says what to pass instead of %j", async (input, message) => {
    const { text, isError } = await run(await memoryWorkspaceOf("one\ntwo"), input);
    expect(isError).toBe(true);
    expect(text).toMatch(message);
    expect(text).not.toMatch(/artifact_?id|start_?line|end_?line|_knowledge/i);
  });

  it("names what it ignores", async () => {
    const workspace = await memoryWorkspaceOf("one");
    const { text } = await run(workspace, { id: "a", lines: "1", limit: 3, sesion: "s" });
    expect(text).toBe('[Ignored, not a parameter: "limit", "sesion"]\none');
  });

  it("is answered with text and isError, whatever it is called with", async () => {
    const workspace = await memoryWorkspaceOf('{"a":[1,2]}');
    const [tool] = workspace.tools({ readingTools: "one" });
    const name = fc.constantFrom("id", "lines", "pattern", "pointer", "cursor", "limit", "fields");
    const value = fc.oneof(
      fc.anything(),
      fc.constantFrom("a", "1", 1, 0, -1, "(", "/a", "", null, "-", "1-"),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.anything(), fc.dictionary(name, value)), async (input) => {
        const answer = await tool?.execute(input);
        expect(answer?.text).not.toBe("");
        if (answer?.isError) expect(answer.text).toMatch(/^[A-Z_]+: /);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[Input, string]>([
    [{ query: "count" }, "a: 3 matching lines"],
    [{ query: "-c" }, "a: 3 matching lines"],
    [
      { pattern: "hit|^[b-d]$|(?:x|y)|\\|z", query: "count" },
      String.raw`a: 6 matching lines: 3 "hit", 3 "^[b-d]$", 0 "(?:x|y)", 0 "\\|z"`,
    ],
    [{ context: 1 }, "1-a\n2:hit 1\n3-b\n--\n5-d\n6:hit 2\n7:hit 3\n8-e"],
    [{ "-C": "1" }, "1-a\n2:hit 1\n3-b\n--\n5-d\n6:hit 2\n7:hit 3\n8-e"],
    [{ query: "-C 1" }, "1-a\n2:hit 1\n3-b\n--\n5-d\n6:hit 2\n7:hit 3\n8-e"],
    [{ before: 1 }, "1-a\n2:hit 1\n--\n5-d\n6:hit 2\n7:hit 3"],
    [{ query: "after 1, limit 1" }, "2:hit 1\n3-b"],
    [{ "-A": 1, limit: "1" }, "2:hit 1\n3-b"],
    [
      { pattern: undefined, query: "count hit [1-2]|^a$" },
      'a: 3 matching lines: 2 "hit [1-2]", 1 "^a$"',
    ],
  ])("searches with what other tools call the lines around a match: %j", async (input, text) => {
    const workspace = await memoryWorkspaceOf("a\nhit 1\nb\nc\nd\nhit 2\nhit 3\ne");
    const answer = await run(workspace, { id: "a", pattern: "hit", ...input });
    expect(answer.isError).toBe(false);
    expect(bodyOf(answer.text)).toBe(text);
    const given = { ...input, artifact_id: "a", pattern: "hit" };
    if (!("query" in input)) {
      expect(bodyOf((await toolRunner(workspace)("grep_knowledge", given)).text)).toBe(text);
    }
  });

  it.each<[Input, string]>([
    [{ lines: "2-4" }, "2:hit 2\n3:hit 3\n4:hit 4"],
    [{ lines: "8-99" }, "8:hit 8\n9:hit 9"],
    [{ lines: "-2" }, "8:hit 8\n9:hit 9"],
    [{ lines: "2-4", query: "count" }, "a: 3 matching lines"],
    [{ lines: "2-4", max_results: 2 }, "2:hit 2\n3:hit 3"],
  ])("searches in these lines alone: %j", async (input, text) => {
    const lines = Array.from({ length: 9 }, (_, at) => `hit ${at + 1}`).join("\n");
    const workspace = await memoryWorkspaceOf(lines);
    const answers = await followPrinted(toolRunner(workspace), "read_stored", {
      ...{ id: "a", pattern: "hit", ...input },
    });
    expect(bodyOf(answers[0] ?? "")).toBe(text);
    // The rest of a search is in these lines, too.
    expect(answers.slice(1).map(bodyOf)).toEqual("max_results" in input ? ["4:hit 4"] : []);
  });

  it("shows what begins at one of few matches, as far as there is room, unless lines are asked for", async () => {
    const body = ["  const a = 1;", "  if (a) {", "    return 2;", "  }", "}"];
    const listing = [
      "// begin",
      "function begin() {",
      ...body,
      "begin();",
      ...Array<string>(60).fill("x;"),
    ];
    const numbered = listing.map((line, at) => `${String(at + 1).padStart(6)}→${line}`);
    for (const [lines, isNumbered] of [
      [listing, false],
      [numbered, true],
    ] as const) {
      const workspace = await memoryWorkspaceOf(lines.join("\n"));
      const search = async (more = {}) =>
        (await run(workspace, { id: "a", pattern: "begin", ...more })).text;
      const shown = lines.map((line, at) =>
        // Which has its number.
        isNumbered ? line : `${at + 1}${/begin/.test(line) ? ":" : "-"}${line}`,
      );
      expect(await search()).toBe(shown.slice(0, 8).join("\n"));
      expect(await search({ context_after: 0 })).toBe([shown[0], shown[1], shown[7]].join("\n"));
      expect(await search({ lines: "8-" })).toBe(shown[7]);
    }
    const long = [
      "def long():",
      ...Array.from({ length: 99 }, (_, at) => `    step(${at})`.padEnd(80)),
    ];
    const workspace = await memoryWorkspaceOf(long.join("\n"));
    const { text } = await run(workspace, { id: "a", pattern: "def long" });
    expect(text.length).toBeLessThan(1_600);
    expect(text).toContain("step(10)");
    expect(text).toMatch(/\n(\d+)-[^\n]*\n\[What begins at line 1 is shown up to line \1\.\]$/);
    const rules = [".a {", "  color: red;", "}", ".b {", "  color: blue;", "}"];
    const sheet = await memoryWorkspaceOf(rules.join("\n"));
    expect((await run(sheet, { id: "a", pattern: "\\.b " })).text).toBe(
      "4:.b {\n5-  color: blue;\n6-}",
    );
  });

  it("shows the lines next to few matches in a longer text, but for what is asked otherwise", async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
    const workspace = await memoryWorkspaceOf(`${lines.join("\n")}\n`);
    const search = async (pattern: string, more = {}) =>
      bodyOf((await run(workspace, { id: "a", pattern, ...more })).text);
    expect(await search("line 29")).toBe(
      "26-line 26\n27-line 27\n28-line 28\n29:line 29\n30-line 30",
    );
    expect(await search("line (?:29|30)", { lines: "20-" })).toBe("29:line 29\n30:line 30");
    expect(await search("line 29", { context_after: 0 })).toBe("29:line 29");
    expect(await search("line 8$", { end_line: 8 })).toBe("8:line 8");
    const { isError } = await run(workspace, { id: "a", query: "count distinct line" });
    expect(isError).toBe(true);
    expect((await search("line .5")).split("\n")).toHaveLength(2 * 6 + 1);
    expect((await search("line 2.")).split("\n")).toHaveLength(10);
  });

  it("shows the code of each place in a traceback", async () => {
    const place = (at: number) =>
      `  File "/srv/app/tide${at % 2}.py", line ${at}, in go\n    run(${at})`;
    const workspace = await memoryWorkspaceOf(
      `Traceback (most recent call last):\n${[1, 2, 3, 4].map(place).join("\n")}\nTideError: low`,
    );
    const { text } = await run(workspace, { id: "a", pattern: "tide1" });
    expect(bodyOf(text)).toBe(
      '2:  File "/srv/app/tide1.py", line 1, in go\n3-    run(1)\n--\n' +
        '6:  File "/srv/app/tide1.py", line 3, in go\n7-    run(3)',
    );
  });

  it("reads lines without the codes of a terminal, and says so; the raw view has them", async () => {
    const lines = ["one", "\u001b[31mtwo\u001b[39m", "three"];
    const workspace = await memoryWorkspaceOf(lines.join("\n"));
    const read = async (input: object) =>
      (await toolRunner(workspace)("read_stored", { id: "a", ...input })).text;
    for (const input of [{}, { lines: "1-3" }, { lines: "1" }]) {
      expect(await read(input)).toBe("one\ntwo\nthree\n[Color codes are left out.]");
    }
    expect(await read({ lines: "3" })).toBe("three");
    expect(await read({ lines: "1-3", view: "raw" })).toBe(lines.join("\n"));
    expect(await read({ lines: "2 chars 1-6" })).toBe("\u001b[31mt");
  });

  it("names its own parameter in an error", async () => {
    const workspace = await memoryWorkspaceOf('[{"status": "failed"}]');
    for (const query of ["state=failed", "nonsense", "sum nothing"]) {
      const { text } = await toolRunner(workspace)("read_stored", { id: "a", query });
      expect(text).toMatch(/^INVALID_ARGUMENT: query must be /);
      expect(text).not.toMatch(/\bwhere\b/);
    }
  });

  it("searches inside of the value that a pointer in the query names", async () => {
    const value = { a: [{ n: "x 1" }, { n: "x 2" }], b: [{ n: "x 3" }, { n: "y" }], c: ["x 4"] };
    const workspace = await memoryWorkspaceOf(JSON.stringify(value));
    const within = (query: string, more = {}) =>
      run(workspace, { id: "a", pattern: "x \\d", query, ...more });
    expect((await within("/b")).text).toBe('12:/b/0 {n: "x 3"}');
    expect((await within("/a/1")).text).toBe('7:/a/1 {n: "x 2"}');
    expect((await within("/c")).text).toMatch(/^19: *"x 4"$/);
    expect((await within("/a, count")).text).toBe("a: 2 matching lines");
    expect((await within("/b/1")).text).toBe("[No match.]");
    expect((await within("/a", { view: "raw" })).text).toMatch(/x 1.*x 2/);
    expect((await within("/none")).text).toMatch(/^POINTER_NOT_FOUND: .*"a", "b", "c"/);
    const answers = await followPrinted(toolRunner(workspace), "read_stored", {
      ...{ id: "a", pattern: "x", query: "/a", max_results: 1 },
    });
    expect(answers.map(bodyOf)).toEqual(['4:/a/0 {n: "x 1"}', '7:/a/1 {n: "x 2"}']);
  });

  it("sees no more than its session", async () => {
    const workspace = await openAll();
    await workspace.put({ content: "secret" }, { toolCallId: "b", sessionId: "other" });
    const [tool] = workspace.tools({ sessionId: "default", readingTools: "one" });
    for (const input of [{}, { id: "b" }, { pattern: "secret" }, { session_id: "other" }]) {
      expect((await tool?.execute(input))?.text).not.toContain('secret"');
      expect((await tool?.execute(input))?.text).not.toMatch(/^secret|: secret/m);
    }
  });

  it("is chosen by name, and an unknown choice is rejected", () => {
    const workspace = openMemoryWorkspace();
    const namesOf = (readingTools?: "one" | "five" | "all") =>
      workspace.tools({ readingTools }).map(({ name }) => name);
    expect(namesOf("one")).toEqual(["read_stored"]);
    const five = TOOL_NAMES.filter((name) => name !== "read_stored" && name !== "query_artifacts");
    expect(namesOf("five")).toEqual(five);
    expect(namesOf("all")).toEqual(TOOL_NAMES);
    expect(namesOf()).toEqual(namesOf("five"));
    const wrong = { readingTools: "six" as "five" };
    for (const call of [() => workspace.tools(wrong), () => workspace.systemPrompt(wrong)]) {
      expect(call).toThrow(/readingTools must be .*"one".*"five"/);
    }
  });
});
