import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as errorClasses from "../../src/errors.js";
import { createOffloader, createWorkspace, DEFAULTS } from "../../src/index.js";
import { memoryWorkspaceOf, openMemoryWorkspace } from "../support/memory-workspace.js";
import { runs } from "../support/adversarial-runs.js";
import { followPrinted, toolRunner } from "../support/run-tools.js";

const LONG = "x".repeat(1_000_000);
/** No message repeats more than this of a value. */
const TOO_OFTEN_REPEATED = /x{201}/;

describe("an answer is capped, whatever was asked for", () => {
  it("a list with a limit of a million says what it leaves out and how to continue", async () => {
    const workspace = openMemoryWorkspace();
    const ids = Array.from({ length: 500 }, (_, at) => `toolu_${at}`);
    for (const toolCallId of ids)
      await workspace.put({ content: "x" }, { sessionId: "default", toolCallId });
    const run = toolRunner(workspace);
    const input = { limit: 1_000_000 };
    const { text } = await run("get_tool_result_offload_info", input);
    const shown = text.split("\n").length - 1;
    expect(text.length).toBeLessThanOrEqual(DEFAULTS.readChars);
    expect(text).toContain(`[${500 - shown} results left out. Next: get_tool_result_offload_info(`);
    const pages = await followPrinted(run, "get_tool_result_offload_info", input);
    const listed = pages.flatMap((page) => page.match(/(?<="artifact_id":")toolu_\d+/g) ?? []);
    expect(listed).toEqual(ids);
  });

  it("every tool at every readChars, the line that says how to continue included", async () => {
    const lines = fc.array(fc.string({ maxLength: 120, unit: "grapheme" }), { maxLength: 60 });
    const count = fc.integer({ min: 1, max: 80 });
    const call = fc.oneof(
      fc.record({ tool: fc.constant("get_knowledge_by_id") }),
      fc.record({ tool: fc.constant("get_knowledge_by_id"), start_char: fc.constant(1) }),
      fc.record({ tool: fc.constant("get_knowledge_by_lines"), start_line: fc.constant(1) }),
      fc.record({ tool: fc.constant("get_knowledge_by_lines"), start_line: fc.constant(-3) }),
      fc.record({
        tool: fc.constant("grep_knowledge"),
        pattern: fc.constantFrom(".", "e", "^", "\\w+"),
        context_before: fc.nat(3),
        max_results: count,
      }),
      fc.record({
        tool: fc.constant("grep_knowledge"),
        pattern: fc.constant("."),
        all: fc.constant(1),
      }),
      fc.record({ tool: fc.constant("read_stored"), lines: fc.constantFrom("1-", "-3", "2-9") }),
      fc.record({ tool: fc.constant("read_stored"), pattern: fc.constantFrom(".", "e") }),
      fc.record({ tool: fc.constant("query_knowledge"), limit: count }),
      fc.record({ tool: fc.constant("get_tool_result_offload_info"), limit: count }),
    );
    await fc.assert(
      fc.asyncProperty(
        lines,
        fc.integer({ min: 40, max: 4_000 }),
        call,
        async (texts, most, asked) => {
          const { tool, ...input } = asked;
          const isJson = tool === "query_knowledge";
          const workspace = await memoryWorkspaceOf(
            isJson ? JSON.stringify(texts) : texts.join("\n"),
          );
          for (const toolCallId of ["b", "c", "d"])
            await workspace.put(
              { content: `e ${texts.join("\n")}` },
              { sessionId: "default", toolCallId },
            );
          const run = toolRunner(workspace, { readChars: most });
          const id = tool.startsWith("get_tool") || "all" in input ? {} : { artifact_id: "a" };
          const { text, isError } = await run(tool, { ...id, ...input });
          if (isError) return;
          // Where the line takes more than half of the room, what is read still gets the other half;
          // a list has one entry at least.
          const footing = /(?:^|\n)\[[^\n]*\]$/.exec(text)?.[0].length ?? 0;
          const entry = tool.startsWith("get_tool") || "all" in input ? 320 : 0;
          const least = Math.max(Math.ceil(most / 2), entry) + footing;
          // An answer in which nothing is missing may be a tenth longer.
          const cap = footing === 0 ? Math.floor(1.1 * most) : most;
          expect(text.length).toBeLessThanOrEqual(Math.max(cap, least));
          if (most >= 640) expect(text.length).toBeLessThanOrEqual(cap);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it("a name in a list", async () => {
    const workspace = openMemoryWorkspace();
    const metadata = { tool_name: LONG, action_name: LONG };
    for (const toolCallId of ["a", "b"])
      await workspace.put({ content: "x", metadata }, { sessionId: "default", toolCallId });
    const { text } = await toolRunner(workspace)("get_tool_result_offload_info");
    expect(text.length).toBeLessThan(2_000);
    expect(text).toContain("[1 result left out.");
  });

  it.each<[string, string, object]>([
    ["an id", "get_knowledge_by_id", { artifact_id: LONG }],
    ["a session", "get_knowledge_by_id", { artifact_id: "a", session_id: LONG }],
    ["a pointer", "query_knowledge", { artifact_id: "a", pointer: `/${LONG}` }],
    ["a pointer into a value", "query_knowledge", { artifact_id: "a", pointer: `/key/${LONG}` }],
    ["a path", "query_knowledge", { artifact_id: "a", pointer: `["${LONG}` }],
    ["a quoted path", "query_knowledge", { artifact_id: "a", pointer: `["${LONG}"]` }],
    ["a field", "query_knowledge", { artifact_id: "a", fields: [LONG] }],
    ["many fields", "query_knowledge", { artifact_id: "a", fields: Array(10_000).fill("key") }],
    ["a cursor", "query_knowledge", { artifact_id: "a", cursor: LONG }],
    ["a pattern", "grep_knowledge", { artifact_id: "a", pattern: LONG }],
    [
      "flags in a pattern",
      "grep_knowledge",
      { artifact_id: "a", pattern: `a(?${"x".repeat(9_000)})` },
    ],
    [
      "a class in a pattern",
      "grep_knowledge",
      { artifact_id: "a", pattern: `[[:${"x".repeat(9_000)}` },
    ],
    ["a number", "get_knowledge_by_lines", { artifact_id: "a", start_line: LONG, end_line: 1 }],
    [
      "digits",
      "get_knowledge_by_lines",
      { artifact_id: "a", start_line: "9".repeat(1e6), end_line: 1 },
    ],
    ["lines", "read_stored", { id: "a", lines: LONG }],
    ["lines as digits", "read_stored", { id: "a", lines: "9".repeat(1e6) }],
    ["an id that is short for it", "read_stored", { id: LONG, lines: "1" }],
    ["a view", "get_knowledge_by_id", { artifact_id: "a", view: LONG }],
    ["a namespace", "get_tool_result_offload_info", { namespace: LONG }],
    ["a cursor of a list", "get_tool_result_offload_info", { cursor: LONG }],
    ["not an object", "get_tool_result_offload_info", LONG as unknown as object],
  ])("an error that repeats %s", async (_, name, input) => {
    const run = toolRunner(await memoryWorkspaceOf('{"key":{"inner":1},"other":2}'), {
      sessionId: DEFAULTS.session,
    });
    const { text, isError } = await run(name, input);
    expect(isError).toBe(true);
    expect(text.length).toBeLessThan(2_000);
    expect(text).not.toMatch(TOO_OFTEN_REPEATED);
  });

  it("a note on a parameter that is ignored", async () => {
    const run = toolRunner(await memoryWorkspaceOf("text"), {
      sessionId: DEFAULTS.session,
    });
    const { text } = await run("get_knowledge_by_id", { artifact_id: "a", [LONG]: 1 });
    expect(text.length).toBeLessThan(2_000);
    expect(text).not.toMatch(TOO_OFTEN_REPEATED);
  });

  it("an error that names ids and keys that exist", async () => {
    const key = JSON.stringify(LONG);
    const workspace = await memoryWorkspaceOf(`{${key}:1,"b":{${key}:2}}`);
    await workspace.put({ content: "x" }, { sessionId: "default", toolCallId: LONG });
    const run = toolRunner(workspace);
    for (const [name, input] of [
      ["get_knowledge_by_id", { artifact_id: "nope" }],
      ["query_knowledge", { artifact_id: "a", pointer: "/nope" }],
      ["query_knowledge", { artifact_id: "a", fields: ["nope"] }],
      ["query_knowledge", { artifact_id: "a", pointer: `/b/${LONG}/nope` }],
      ["query_knowledge", { artifact_id: "a", pointer: `/b`, fields: ["nope"] }],
    ] as const) {
      const { text, isError } = await run(name, input);
      expect(isError).toBe(true);
      expect(text).not.toMatch(TOO_OFTEN_REPEATED);
    }
  });
});

describe("an error of the host's own calls repeats at most 200 characters of a value", () => {
  it("every error class", () => {
    const cause = new Error("original");
    const errors = [
      new errorClasses.AmbiguousArtifactError(LONG, Array<string>(1_000).fill(LONG)),
      new errorClasses.ArtifactGoneError(LONG, "removed"),
      new errorClasses.InvalidArgumentError("outputDir", LONG, "a folder"),
      new errorClasses.InvalidArgumentError("outputDir", { [LONG]: 1 }, "a folder"),
      new errorClasses.InvalidEnvironmentError("X", LONG, "a number"),
      new errorClasses.InvalidPatternError(LONG, "unterminated group"),
      new errorClasses.NoToolResultError(LONG),
      new errorClasses.PointerNotFoundError(LONG, {
        reached: LONG,
        kind: "object",
        keys: [LONG],
      }),
      new errorClasses.ReadFailedError(LONG, cause),
      new errorClasses.SearchTimeoutError(LONG, 2000, 7),
      new errorClasses.UnknownArtifactError(LONG, [LONG, LONG, LONG, LONG, LONG]),
      errorClasses.UnknownFormatError.ofMismatches([{ format: "f", why: `has ${LONG}` }]),
      new errorClasses.UnsafePathError(LONG, "it is a link"),
      new errorClasses.WriteFailedError(LONG, cause),
    ];
    for (const { name, message } of errors) {
      expect(message.length, name).toBeLessThan(2_500);
      // A reason begins with words of its own.
      expect(message, name).not.toMatch(
        name === "UnknownFormatError" ? /x{241}/ : TOO_OFTEN_REPEATED,
      );
    }
  });

  it("a tool name and a format", async () => {
    const offloader = createOffloader({
      workspace: createWorkspace({ root: "unused" }),
      sessionId: "s",
    });
    const call = { type: "tool_use", id: "c", name: LONG, input: {} };
    await expect(offloader.handleToolCall(call)).rejects.not.toThrow(TOO_OFTEN_REPEATED);
    await expect(offloader.offload([{ role: LONG, content: LONG }])).rejects.not.toThrow(/x{241}/);
    expect(() => offloader.tools(LONG as never)).not.toThrow(TOO_OFTEN_REPEATED);
  });
});
