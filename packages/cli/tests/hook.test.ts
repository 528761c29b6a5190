import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createWorkspace, DEFAULTS, estimateTokens } from "context-offload";
import { describe, expect, it } from "vitest";
import { TestFolder, HOOK } from "./support/command.js";

const TEXT = Array.from({ length: 900 }, (_, at) => `line ${at} of a long log`).join("\n");
const PLUGIN = fileURLToPath(new URL("../plugin/", import.meta.url));

type Fields = Record<string, unknown>;
interface Answer {
  readonly hookSpecificOutput: {
    readonly hookEventName: string;
    readonly updatedToolOutput: Fields;
  };
}

function eventOf(place: TestFolder, more: Fields = {}): Fields {
  return {
    ...{ hook_event_name: "PostToolUse", session_id: "s-1", transcript_path: "/t.jsonl" },
    ...{ cwd: place.folder, tool_name: "Bash", tool_use_id: "toolu_1" },
    ...{ tool_input: { command: "cat log" } },
    tool_response: { stdout: TEXT, stderr: "", interrupted: false },
    ...more,
  };
}

interface HookOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function hook(place: TestFolder, event: unknown, { args = [], env = {} }: HookOptions = {}) {
  const input = typeof event === "string" ? event : JSON.stringify(event);
  return place.spawn(args, { input, env, script: HOOK });
}

const LET_THROUGH = { status: 0, stdout: "", stderr: "" };

describe("the hook of Claude Code", () => {
  it("answers a large result with a reference in the tool's own shape", async () => {
    const place = new TestFolder();
    const { status, stdout, stderr } = hook(place, eventOf(place));
    expect([status, stderr]).toEqual([0, ""]);
    const { hookSpecificOutput } = JSON.parse(stdout) as Answer;
    expect(hookSpecificOutput.hookEventName).toBe("PostToolUse");
    const { stdout: reference, ...rest } = hookSpecificOutput.updatedToolOutput;
    expect(rest).toEqual({ stderr: "", interrupted: false });
    expect(reference).toMatch(/^<knowledge_list>/);
    expect((await place.run("show", "toolu_1", "--raw")).stdout).toBe(TEXT);
    expect((await place.run("list")).stdout).toMatch(/^toolu_1 +s-1 +Bash /m);
  });

  it("offloads what is very large, in any script, and less with --min-tokens", () => {
    const place = new TestFolder();
    const answer = (stdout: string, ...args: string[]) =>
      hook(place, eventOf(place, { tool_response: { stdout, stderr: "" } }), { args }).stdout;
    const under = TEXT.slice(0, TEXT.length / 2);
    expect(estimateTokens(TEXT)).toBeGreaterThanOrEqual(DEFAULTS.giantTokens);
    expect(estimateTokens(under)).toBeLessThan(DEFAULTS.giantTokens);
    expect(answer(under)).toBe("");
    expect(answer(under, "--min-tokens", "400")).toContain("<knowledge_list>");
    // Of rare characters, each is several tokens.
    const rare = "\u3400".repeat(2_500);
    expect(estimateTokens(rare)).toBeGreaterThan(DEFAULTS.giantTokens);
    expect(answer(rare)).toContain("<knowledge_list>");
  });

  it("gives a file path without a reading server, and its tools with one", () => {
    const place = new TestFolder();
    const [, path = ""] =
      /path="([^"]+)"|(\/\S+\.txt)/.exec(hook(place, eventOf(place)).stdout) ?? [];
    const byPath = hook(place, eventOf(place)).stdout;
    expect(byPath).not.toContain("grep_knowledge");
    const found = /(\/[^\s"\\]+\.txt)/.exec(byPath)?.[1] ?? path;
    expect(readFileSync(found, "utf8")).toBe(TEXT);
    const args = ["--tool-prefix", "mcp__offload__"];
    const byTools = hook(place, eventOf(place, { tool_use_id: "toolu_2" }), { args }).stdout;
    expect(byTools).toContain("mcp__offload__grep_knowledge");
    const [, both = ""] = / path=\\"([^"\\]+)/.exec(byTools) ?? [];
    expect(readFileSync(both, "utf8")).toBe(TEXT);
  });

  it("says in which session a result is, so that the server finds it among others of its id", async () => {
    const place = new TestFolder();
    const args = ["--tool-prefix", "mcp__offload__"];
    const ask = (session: string) => {
      const event = eventOf(place, {
        session_id: session,
        tool_response: { stdout: `${session}\n${TEXT}`, stderr: "" },
      });
      const { stdout } = hook(place, event, { args });
      const [, id, session_id] = /id=\\"(\w+)\\".* session_id=\\"([^"\\]+)/.exec(stdout) ?? [];
      return { id, session_id };
    };
    const found = [ask("s-1"), ask("s-2")];
    expect(found.map(({ id }) => id)).toEqual(["toolu_1", "toolu_1"]);
    const workspace = createWorkspace({ root: place.path(".offload") });
    const grep = workspace.tools().find(({ name }) => name === "grep_knowledge");
    const search = (more: object) =>
      grep?.execute({ artifact_id: "toolu_1", pattern: "^s-", context_after: 0, ...more });
    expect(await search({})).toMatchObject({ isError: true });
    for (const { session_id } of found) {
      expect(await search({ session_id })).toMatchObject({ text: `1:${session_id}` });
    }
    await workspace.close();
  });

  it("keeps a file up to the size of a giant, and shows a reference without line numbers around it", () => {
    const place = new TestFolder();
    const args = ["--min-tokens", "400"];
    const read = (content: string) => {
      const file = { filePath: "/a.ts", content, numLines: 9, startLine: 1, totalLines: 9 };
      const event = eventOf(place, { tool_name: "Read", tool_response: { type: "text", file } });
      return hook(place, { ...event, tool_input: { file_path: "/a.ts" } }, { args });
    };
    expect(read(TEXT.slice(0, TEXT.length / 2))).toEqual(LET_THROUGH);
    const { hookSpecificOutput } = JSON.parse(read(TEXT).stdout) as Answer;
    expect(hookSpecificOutput.updatedToolOutput).toMatchObject({
      type: "notebook",
      file: { cells: [{ source: expect.stringMatching(/^<knowledge_list>/) as string }] },
    });
  });

  it.each<[string, Fields, HookOptions?]>([
    ["a small result", { tool_response: { stdout: "ok", stderr: "", interrupted: false } }],
    [
      "what Claude Code has stored itself",
      {
        tool_response: { stdout: TEXT, stderr: "", interrupted: false, persistedOutputPath: "/p" },
      },
    ],
    ["our reading tools", { tool_name: "mcp__offload__grep_knowledge", tool_response: TEXT }],
    [
      "those of the plugin",
      {
        tool_name: "mcp__plugin_context-offload_offload__get_knowledge_by_id",
        tool_response: TEXT,
      },
    ],
    ["another event", { hook_event_name: "PreToolUse" }],
    ["a tool that is excluded", {}, { args: ["--exclude", "Read,Bash"] }],
    ["one excluded by the environment", {}, { env: { CONTEXT_OFFLOAD_EXCLUDE: "Bash" } }],
    ["everything when switched off", {}, { env: { CONTEXT_OFFLOAD: "off" } }],
    ["less than --min-tokens", {}, { args: ["--min-tokens", "1000000"] }],
    ["a response of no known shape", { tool_response: [TEXT] }],
    ["an unknown tool", { tool_name: "constructor", tool_response: { text: TEXT } }],
    ["a missing response", { tool_response: undefined }],
    [
      "a part of a file",
      {
        tool_name: "Read",
        tool_input: { file_path: "/a", offset: 1 },
        tool_response: { type: "text", file: { filePath: "/a", content: TEXT } },
      },
    ],
    [
      "a subagent's report",
      {
        tool_name: "Agent",
        tool_response: { status: "completed", content: [{ type: "text", text: TEXT }] },
      },
    ],
    [
      "what only says where the output is",
      { tool_response: { stdout: `<persisted-output>\n${TEXT}`, stderr: "" } },
      { args: ["--min-tokens", "100"] },
    ],
    [
      "what only says where the answer of an MCP server is",
      {
        tool_name: "mcp__other__read",
        tool_response: `Error: result (80,000 characters) exceeds maximum allowed tokens. Output has been saved to /p.txt\n${TEXT}`,
      },
      { args: ["--min-tokens", "100"] },
    ],
  ])("lets through %s", (_, more, options) => {
    const place = new TestFolder();
    expect(hook(place, eventOf(place, more), options)).toEqual(LET_THROUGH);
    expect(existsSync(place.path(".offload"))).toBe(false);
  });

  it.each<[string, Fields]>([
    [
      "a file of the workspace, by the folder it is in",
      { tool_input: { command: "cat .offload/v1/x" } },
    ],
    ["a file of the workspace", { tool_name: "Read", tool_input: "FILE" }],
    ["a command that prints one", { tool_name: "Bash", tool_input: { command: "cat FILE" } }],
  ])("does not offload again what is read back from %s", (_, more) => {
    const place = new TestFolder();
    const [file = ""] = /\/[^\s"\\]+\.txt/.exec(hook(place, eventOf(place)).stdout) ?? [];
    const input = JSON.stringify(more["tool_input"]).replace("FILE", file);
    const event = eventOf(place, {
      ...more,
      tool_use_id: "toolu_2",
      tool_input: JSON.parse(input),
    });
    expect(hook(place, event)).toEqual(LET_THROUGH);
  });

  it("is switched off by a command, at once, and on again", async () => {
    const place = new TestFolder();
    expect((await place.run("off")).stdout).toContain("context-offload on");
    expect(place.read(".offload/.gitignore")).toBe("*\n");
    expect(hook(place, eventOf(place))).toEqual(LET_THROUGH);
    await place.run("on");
    expect(hook(place, eventOf(place)).stdout).toContain("knowledge_list");
  });

  it.each([
    "",
    "{",
    "null",
    "[]",
    "42",
    '"PostToolUse"',
    "{}",
    '{"hook_event_name":"PostToolUse"}',
    "\u0000",
  ])("takes %j for an event and lets it through", (event) => {
    expect(hook(new TestFolder(), event)).toEqual(LET_THROUGH);
  });

  it("lets the result through and logs when it cannot be stored", async () => {
    const place = new TestFolder();
    place.makeFolder(".offload");
    place.write(".offload/v1", "a file, where a folder must be");
    expect(hook(place, eventOf(place))).toEqual(LET_THROUGH);
    expect(place.read(".offload/hook.log")).toMatch(/^\S+Z the result was let through: \S+/);
    expect((await place.run("doctor")).stdout).toMatch(/^hint +the hook let a result through: /m);
  });

  it("lets it through where nothing can be written at all, not even a log", () => {
    const place = new TestFolder();
    place.write(".offload", "a file");
    expect(hook(place, eventOf(place))).toEqual(LET_THROUGH);
    expect(hook(place, eventOf(place, { cwd: "/dev/null" }))).toEqual(LET_THROUGH);
    expect(place.read(".offload")).toBe("a file");
  });

  it.skipIf(process.platform === "win32")("lets it through when the disk is full", async () => {
    const place = new TestFolder();
    // No file may grow: every write fails, as on a disk that is full.
    const command = `trap '' XFSZ; ulimit -f 0; exec "${process.execPath}" "${HOOK}"`;
    const { status, stdout, stderr } = spawnSync("bash", ["-c", command], {
      ...{ input: JSON.stringify(eventOf(place)), encoding: "utf8", env: place.env() },
    });
    expect({ status, stdout, stderr }).toEqual(LET_THROUGH);
    expect((await place.run("list")).stdout).not.toContain("toolu_1");
  });

  it("survives an agent that closes the pipe early", async () => {
    const place = new TestFolder();
    const child = spawn(process.execPath, [HOOK], { env: place.env() });
    child.stdout.destroy();
    child.stdin.end(JSON.stringify(eventOf(place)));
    expect(await new Promise((done) => child.once("close", done))).toBe(0);
  });

  it("keeps a subagent's results apart, and gives its parent access", async () => {
    const place = new TestFolder();
    hook(place, eventOf(place, { agent_id: "a1" }));
    expect((await place.run("list")).stdout).toMatch(/^toolu_1 +s-1-a1 +Bash /m);
    expect((await place.run("show", "toolu_1", "--session", "s-1", "--raw")).stdout).toBe(TEXT);
  });

  it("uses the folder it is told, or that of the project", () => {
    const place = new TestFolder();
    place.makeFolder("deep/er");
    const event = eventOf(place, { cwd: place.path("deep/er") });
    hook(place, event);
    expect(existsSync(place.path("deep/er/.offload/v1"))).toBe(true);
    hook(place, event, { args: ["--in-project"], env: { CLAUDE_PROJECT_DIR: place.folder } });
    expect(existsSync(place.path(".offload/v1"))).toBe(true);
    hook(place, event, { args: ["--root", place.path("told")] });
    expect(existsSync(place.path("told/v1"))).toBe(true);
  });

  it("is one file that imports nothing but Node's own, and loads the engine for large results only", () => {
    const place = new TestFolder();
    const source = readFileSync(HOOK, "utf8");
    const imports = [...source.matchAll(/from ?"([^"]+)"/g)].map(([, name]) => name);
    expect(imports).toContain("node:fs");
    for (const name of imports) expect(name).toMatch(/^node:/);
    cpSync(HOOK, place.path("alone/hook.mjs"));
    const small = eventOf(place, { tool_response: { stdout: "ok".repeat(100), stderr: "" } });
    const alone = place.spawn([], {
      input: JSON.stringify(small),
      script: place.path("alone/hook.mjs"),
    });
    expect(alone).toEqual(LET_THROUGH);
    expect(existsSync(place.path(".offload/hook.log"))).toBe(false);
    // Without the second file, a large result is let through.
    const large = place.spawn([], {
      input: JSON.stringify(eventOf(place)),
      script: place.path("alone/hook.mjs"),
    });
    expect(large).toEqual(LET_THROUGH);
    expect(place.read(".offload/hook.log")).toMatch(/Cannot find module/);
    expect(place.read(".offload/.gitignore")).toBe("*\n");
    const modes = [".offload", ".offload/hook.log"].map((name) => statSync(place.path(name)).mode);
    if (process.platform !== "win32") expect(modes).toEqual([0o40700, 0o100600]);
  });

  it("can be run as a command, too", () => {
    const place = new TestFolder();
    const input = JSON.stringify(eventOf(place));
    expect(place.spawn(["hook"], { input }).stdout).toContain("knowledge_list");
    expect(place.spawn(["hook", "--exclude", "Bash"], { input })).toEqual(LET_THROUGH);
    expect(place.spawn(["hook"], { input: "{" })).toEqual(LET_THROUGH);
  });
});

describe("the plugin of Claude Code", () => {
  it("stands alone: its hook stores what its server reads, of every session of the project", async () => {
    const place = new TestFolder();
    cpSync(PLUGIN, place.path("plugins/context-offload"), { recursive: true });
    const root = place.path("plugins/context-offload");
    const project = place.makeFolder("project");
    const env = { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PROJECT_DIR: project };
    const { hooks } = JSON.parse(readFileSync(join(root, "hooks/hooks.json"), "utf8")) as {
      hooks: { PostToolUse: { matcher: string; hooks: { command: string }[] }[] };
    };
    const [group] = hooks.PostToolUse;
    expect(group?.matcher).toBe("*");
    for (const session of ["one", "two"]) {
      const event = eventOf(place, { session_id: session, tool_use_id: `toolu_${session}` });
      const { status, stdout } = spawnSync("bash", ["-c", group?.hooks[0]?.command ?? ""], {
        ...{ cwd: project, encoding: "utf8", env: place.env(env), input: JSON.stringify(event) },
      });
      expect([status, stdout]).toEqual([
        0,
        expect.stringContaining("mcp__plugin_context-offload_offload__grep_knowledge"),
      ]);
    }
    const { mcpServers } = JSON.parse(readFileSync(join(root, ".mcp.json"), "utf8")) as {
      mcpServers: { offload: { command: string; args: string[] } };
    };
    const { command, args } = mcpServers.offload;
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StdioClientTransport({
        ...{ command, cwd: place.folder, env: place.env(env) as Record<string, string> },
        args: args.map((arg) => arg.replace("${CLAUDE_PLUGIN_ROOT}", root)),
      }),
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("grep_knowledge");
    for (const session of ["one", "two"]) {
      const answer = await client.callTool({
        ...{ name: "get_knowledge_by_lines" },
        arguments: { artifact_id: `toolu_${session}`, start_line: 2, end_line: 2 },
      });
      expect(answer).toMatchObject({ content: [{ text: "line 1 of a long log" }] });
    }
    await client.close();
  });

  it("has a manifest of the same version as the package", () => {
    const version = (path: string): unknown =>
      (JSON.parse(readFileSync(join(PLUGIN, path), "utf8")) as { version: unknown }).version;
    expect(version(".claude-plugin/plugin.json")).toBe(version("../package.json"));
    expect(readdirSync(join(PLUGIN, "dist"))).toEqual(
      expect.arrayContaining(["hook.js", "server.js"]),
    );
  });
});

describe("the hooks of other agents", () => {
  const codex = ["--agent", "codex", "--root", ".offload"];

  it.each<[string, unknown]>([
    ["a command", TEXT],
    ["an MCP server", { content: [{ type: "text", text: TEXT }] }],
  ])("puts a reference in the place of what Codex got from %s", (_, tool_response) => {
    const place = new TestFolder();
    const { stdout } = hook(place, eventOf(place, { tool_response }), { args: codex });
    const { stopReason, ...rest } = JSON.parse(stdout) as { stopReason: string };
    expect(rest).toEqual({ continue: false });
    const [, path = ""] = / path="([^"]+)"/.exec(stopReason) ?? [];
    expect(readFileSync(path, "utf8")).toBe(TEXT);
  });

  it("does the same for Qwen Code, where its tools may read, until it is switched off", async () => {
    const place = new TestFolder();
    const args = ["--agent", "qwen", "--in-transcripts", "--root", "offload"];
    const event = eventOf(place, {
      transcript_path: place.path("project/chats/session.jsonl"),
      tool_response: { llmContent: [{ text: TEXT }] },
    });
    const { stopReason } = JSON.parse(hook(place, event, { args }).stdout) as {
      stopReason: string;
    };
    const [, path = ""] = / path="([^"]+)"/.exec(stopReason) ?? [];
    expect(readFileSync(path, "utf8")).toBe(TEXT);
    expect(path.startsWith(place.path("project/offload"))).toBe(true);
    await place.run("off");
    expect(hook(place, event, { args })).toEqual(LET_THROUGH);
    await place.run("on");
    expect(hook(place, event, { args }).stdout).toContain("knowledge_list");
  });

  it("keeps pictures that Codex got", () => {
    const place = new TestFolder();
    const content = [
      { type: "text", text: TEXT },
      { type: "image", data: "" },
    ];
    const event = eventOf(place, { tool_response: { content } });
    expect(hook(place, event, { args: codex })).toEqual(LET_THROUGH);
  });

  it("names Gemini CLI a file to read instead, where its tools may read, and answers for that no more", () => {
    const place = new TestFolder();
    const args = ["--in-transcripts", "--root", "offload"];
    const event = eventOf(place, {
      ...{ hook_event_name: "AfterTool", transcript_path: place.path("tmp/chats/session.jsonl") },
      tool_response: { llmContent: TEXT, returnDisplay: TEXT },
    });
    const { hookSpecificOutput } = JSON.parse(hook(place, event, { args }).stdout) as {
      hookSpecificOutput: { tailToolCallRequest: { name: string; args: { file_path: string } } };
    };
    const { name, args: named } = hookSpecificOutput.tailToolCallRequest;
    const reference = readFileSync(named.file_path, "utf8");
    expect([name, reference]).toEqual(["read_file", expect.stringMatching(/^<knowledge_list>/)]);
    const [, path = ""] = / path="([^"]+)"/.exec(reference) ?? [];
    expect(readFileSync(path, "utf8")).toBe(TEXT);
    expect(path.startsWith(place.path("tmp/offload"))).toBe(true);
    const tail = { ...event, original_request_name: "run_shell_command" };
    expect(hook(place, tail, { args })).toEqual(LET_THROUGH);
    expect(hook(place, { ...event, transcript_path: undefined }, { args })).toEqual(LET_THROUGH);
  });
});

/** Copilot's event for a tool call that is over, by its hooks reference. */
function copilotEvent(place: TestFolder, more: Fields = {}): Fields {
  return {
    ...{ sessionId: "c-1", timestamp: 1_794_778_039_116, cwd: place.folder },
    ...{ toolName: "bash", toolArgs: { command: "cat log" } },
    toolResult: { resultType: "success", textResultForLlm: TEXT },
    ...more,
  };
}

describe("the plugin of Cline", () => {
  const RUN_PLUGIN = `
    import { afterTool } from ${JSON.stringify(new URL("../dist/hook/cline-plugin.js", import.meta.url))};
    import { text } from "node:stream/consumers";
    const call = JSON.parse(await text(process.stdin));
    const after = await afterTool(call, call.patienceMs ?? 60_000);
    process.stdout.write(JSON.stringify(after ?? null));`;
  const FAILED = { query: "cat other", result: TEXT, error: "exit 1", success: false };

  async function afterTool(call: Fields, command?: string) {
    const place = new TestFolder();
    if (command !== "") await place.run("install", "cline");
    if (command)
      place.write(
        "home/.cline/plugins/context-offload/package.json",
        JSON.stringify({ cline: { plugins: [{ command }] } }),
      );
    const script = place.path(place.write("run-plugin.mjs", RUN_PLUGIN));
    const input = JSON.stringify({
      snapshot: { conversationId: "conv_1" },
      toolCall: { toolCallId: "call_1", toolName: "run_commands" },
      ...{ input: { commands: ["cat log"] }, ...call },
    });
    const { status, stdout, stderr } = place.spawn([], { script, input });
    expect([status, stderr]).toEqual([0, ""]);
    const [, path] = / path=\\"([^"]+)\\"/.exec(stdout) ?? [];
    if (path !== undefined) expect(readFileSync(path, "utf8")).toBe(TEXT);
    return JSON.parse(stdout) as unknown;
  }

  const REFERENCE = expect.stringMatching(/^<knowledge_list>/) as string;
  it.each<[string, unknown, unknown]>([
    ["a text", TEXT, REFERENCE],
    [
      "one of several commands",
      [{ query: "cat log", result: TEXT, success: true }, { query: "echo", result: "b" }, FAILED],
      [
        { query: "cat log", result: REFERENCE, success: true },
        { query: "echo", result: "b" },
        FAILED,
      ],
    ],
    [
      "an MCP server",
      { content: [{ type: "text", text: TEXT }], isError: false },
      { content: [{ type: "text", text: REFERENCE }], isError: false },
    ],
  ])("puts a reference in the place of %s", async (_, output, expected) => {
    expect(await afterTool({ result: { output } })).toEqual({ result: { output: expected } });
  });

  const WHOLE = { output: TEXT };
  it.each<[string, Fields, string?]>([
    ["a text that is small", { result: { output: "short" } }],
    [
      "a picture",
      { result: { output: { content: [{ type: "text", text: TEXT }, { type: "image" }] } } },
    ],
    ["a failed call", { result: { ...WHOLE, isError: true } }],
    ["a failed command", { result: { output: [FAILED] } }],
    ["a file", { toolCall: { toolCallId: "call_1", toolName: "read_files" }, result: WHOLE }],
    ["nothing", { result: {} }],
    ["what it gets where install was undone", { result: WHOLE }, ""],
    ["what a hook that fails gets", { result: WHOLE }, "exit 1"],
    ["what a hook gets that hangs", { result: WHOLE, patienceMs: 50 }, "sleep 1"],
  ])("keeps %s", async (_, call, command) => {
    expect(await afterTool(call, command)).toBe(null);
  });
});

describe("the hook of Copilot CLI", () => {
  it("answers a large result with a modified one that gives the path of a file", async () => {
    const place = new TestFolder();
    const { status, stdout, stderr } = hook(place, copilotEvent(place));
    expect([status, stderr]).toEqual([0, ""]);
    const { modifiedResult, ...rest } = JSON.parse(stdout) as {
      modifiedResult: { resultType: string; textResultForLlm: string };
    };
    expect(rest).toEqual({});
    const { resultType, textResultForLlm } = modifiedResult;
    expect([resultType, textResultForLlm]).toEqual([
      "success",
      expect.stringMatching(/^<knowledge_list>/),
    ]);
    const [, path = ""] = / path="([^"]+)"/.exec(textResultForLlm) ?? [];
    expect(readFileSync(path, "utf8")).toBe(TEXT);
    expect((await place.run("list")).stdout).toMatch(/ c-1 +bash /);
  });

  it.each<[string, Fields, HookOptions?]>([
    ["a small result", { toolResult: { resultType: "success", textResultForLlm: "ok" } }],
    ["a call that has not run yet", { toolResult: undefined }],
    ["a failed call", { toolResult: undefined, error: TEXT }],
    [
      "what only says where Copilot has stored the output",
      {
        toolResult: {
          resultType: "success",
          textResultForLlm: `Output too large to read at once. Saved to: /tmp/1.txt\n\n${TEXT.slice(0, 9_000)}`,
        },
      },
      { args: ["--min-tokens", "100"] },
    ],
    ["a result without a text", { toolResult: { resultType: "success", binary: TEXT } }],
    ["a tool that is excluded", { toolName: "view" }, { args: ["--exclude", "view,x"] }],
    ["everything when switched off", {}, { env: { CONTEXT_OFFLOAD: "off" } }],
  ])("lets through %s", (_, more, options) => {
    const place = new TestFolder();
    expect(hook(place, copilotEvent(place, more), options)).toEqual(LET_THROUGH);
    expect(existsSync(place.path(".offload"))).toBe(false);
  });

  it("lets an event of Copilot through where it was set up for Claude Code, whose hooks Copilot runs as well", () => {
    const place = new TestFolder();
    const event = {
      ...{ hook_event_name: "PostToolUse", session_id: "c-1", cwd: place.folder },
      ...{ tool_name: "Bash", tool_input: { command: "cat log" } },
      tool_result: { result_type: "success", text_result_for_llm: TEXT },
    };
    const args = ["--in-project", "--tool-prefix", "mcp__offload__"];
    expect(hook(place, event, { args })).toEqual(LET_THROUGH);
  });
});
