import type {
  AgentOutput,
  BashOutput,
  ClaudeDesignOutput,
  FileEditOutput,
  FileReadOutput,
  FileWriteOutput,
  GlobOutput,
  GrepOutput,
  ListMcpResourcesOutput,
  McpOutput,
  NotebookEditOutput,
  ReadMcpResourceOutput,
  RemoteTriggerOutput,
  ToolOutputSchemas,
  WebFetchOutput,
  WebSearchOutput,
} from "@anthropic-ai/claude-agent-sdk/sdk-tools";
import { findOutputText } from "context-offload/claude-agent";
import { describe, expect, it } from "vitest";

const TEXT = "line\n".repeat(500);
const REFERENCE = "<knowledge_list/>";
const IMAGE = { type: "image", data: "AAAA", mimeType: "image/png" };

const bash: BashOutput = { stdout: TEXT, stderr: "warning", interrupted: false };
const file = { filePath: "/a", content: TEXT, numLines: 500, startLine: 1, totalLines: 500 };
const usage = {
  ...{ input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0 },
  ...{
    cache_read_input_tokens: 0,
    server_tool_use: null,
    service_tier: null,
    cache_creation: null,
  },
};
const agent: AgentOutput = {
  ...{ status: "completed", agentId: "a", prompt: "p", totalToolUseCount: 1, totalDurationMs: 1 },
  ...{ totalTokens: 1, usage, content: [{ type: "text", text: TEXT }] },
};
const grep: GrepOutput = { mode: "content", numFiles: 0, filenames: [], content: TEXT };
const glob: GlobOutput = { durationMs: 1, numFiles: 2, filenames: ["/a", "/b"], truncated: false };
const search: WebSearchOutput = {
  query: "q",
  results: [{ tool_use_id: "t", content: [{ title: "T", url: "https://a.example" }] }, TEXT],
  durationSeconds: 1,
};
const fetched: WebFetchOutput = {
  ...{ bytes: 1, code: 200, codeText: "OK", result: TEXT, durationMs: 1, url: "https://a.example" },
};
const resource: ReadMcpResourceOutput = {
  contents: [
    { uri: "a:1", text: "short" },
    { uri: "a:2", text: TEXT },
  ],
};
const design: ClaudeDesignOutput = { operation: "o", content: [{ type: "text", text: TEXT }] };

/** An output, the text found in it, and the same output with the reference: all of the tool's own type. */
type Case<T extends ToolOutputSchemas = ToolOutputSchemas> = readonly [string, T, string, T];
const of = <T extends ToolOutputSchemas>(...values: Case<T>): Case => values;

const CASES: readonly Case[] = [
  of<BashOutput>("Bash", bash, TEXT, { ...bash, stdout: REFERENCE }),
  of<BashOutput>("Bash", { ...bash, stdout: "", stderr: TEXT }, TEXT, {
    ...{ stdout: "", stderr: REFERENCE, interrupted: false },
  }),
  // Another type of the same tool, whose lines Claude Code does not number.
  of<FileReadOutput>("Read", { type: "text", file }, TEXT, {
    type: "notebook",
    file: {
      filePath: "/a",
      cells: [{ cellType: "code", language: "python", source: REFERENCE, cell_id: "reference" }],
    },
  }),
  of<GrepOutput>("Grep", grep, TEXT, { ...grep, content: REFERENCE }),
  of<GrepOutput>("Grep", { numFiles: 2, filenames: ["/a", "/b"] }, "/a\n/b", {
    ...{ numFiles: 2, filenames: [REFERENCE] },
  }),
  of<GlobOutput>("Glob", glob, "/a\n/b", { ...glob, filenames: [REFERENCE] }),
  of<WebFetchOutput>("WebFetch", fetched, TEXT, { ...fetched, result: REFERENCE }),
  of<WebSearchOutput>("WebSearch", search, JSON.stringify(search.results, undefined, 2), {
    ...{ ...search, results: [REFERENCE] },
  }),
  of<ReadMcpResourceOutput>("ReadMcpResourceTool", resource, TEXT, {
    contents: [
      { uri: "a:1", text: "short" },
      { uri: "a:2", text: REFERENCE },
    ],
  }),
  of<RemoteTriggerOutput>("RemoteTrigger", { status: 200, json: TEXT }, TEXT, {
    ...{ status: 200, json: REFERENCE },
  }),
  of<ClaudeDesignOutput>("ClaudeDesign", design, TEXT, {
    ...{ operation: "o", content: [{ type: "text", text: REFERENCE }] },
  }),
  of<McpOutput>("mcp__x__y", TEXT, TEXT, REFERENCE),
  of<McpOutput>("mcp__x__y", [{ type: "text", text: TEXT }, IMAGE], TEXT, [
    { type: "text", text: REFERENCE },
    IMAGE,
  ]),
  of<McpOutput>("mcp__x__y", { log: "a" }, '{\n  "log": "a"\n}', REFERENCE),
];

const edit: FileEditOutput = {
  ...{ filePath: "/a", oldString: "a", newString: "b", originalFile: TEXT, structuredPatch: [] },
  ...{ userModified: false, replaceAll: false },
};
const write: FileWriteOutput = {
  ...{ type: "create", filePath: "/a", content: TEXT, structuredPatch: [], originalFile: null },
};
const notebook: NotebookEditOutput = {
  ...{ new_source: TEXT, cell_type: "code", language: "python", edit_mode: "insert" },
  ...{ notebook_path: "/a", original_file: TEXT, updated_file: TEXT },
};
const picture: FileReadOutput = {
  ...{ type: "image", file: { base64: "AAAA", type: "image/png", originalSize: 3 } },
};
const launched: AgentOutput = {
  ...{ status: "async_launched", agentId: "a", description: "d", prompt: TEXT, outputFile: "/o" },
};
const listed: ListMcpResourcesOutput = [{ uri: "a:1", name: "a", server: "s" }];

const KEPT: readonly (readonly [string, string, ToolOutputSchemas])[] = [
  ["stored by Claude Code", "Bash", { ...bash, persistedOutputPath: "/tool-results/1.txt" }],
  ["a picture", "Bash", { ...bash, isImage: true }],
  ["without output", "Bash", { stdout: "", stderr: "", interrupted: false }],
  ["a line to the model", "Edit", edit],
  ["a line to the model", "Write", write],
  ["a line to the model", "NotebookEdit", notebook],
  ["a picture", "Read", picture],
  ["still running", "Agent", launched],
  ["a subagent's report", "Agent", agent],
  ["without a place for a text", "ListMcpResourcesTool", listed],
  ["stored by Claude Code", "mcp__x__y", "<persisted-output>\nOutput too large"],
  [
    ...(["stored by Claude Code", "mcp__x__y"] as const),
    "Error: result (196,519 characters across 3,000 lines) exceeds maximum allowed tokens. Output has been saved to /a.",
  ],
  ["an answer of a reading tool", "mcp__offload__grep_knowledge", [{ type: "text", text: TEXT }]],
  ["an answer of a reading tool", "mcp__plugin_x_offload__get_knowledge_by_lines", TEXT],
  ["an answer of a reading tool", "mcp__offload__read_stored", TEXT],
];

describe("findOutputText", () => {
  it.each(CASES)("%s keeps its own shape", (name, response, text, expected) => {
    const found = findOutputText(name, response);
    expect(found?.text).toBe(text);
    expect(found?.withText(REFERENCE)).toEqual(expected);
  });

  it.each(KEPT)("%s is kept: %s", (_, name, response) => {
    expect(findOutputText(name, response)).toBeUndefined();
  });

  it.each([undefined, null, 1, "text", []])("takes %j from any tool", (response) => {
    expect(findOutputText("Bash", response)).toBeUndefined();
    expect(findOutputText("constructor", response)).toBeUndefined();
  });
});
