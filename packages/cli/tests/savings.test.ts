import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { appendFileSync, existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { createWorkspace, estimateTokens } from "context-offload";
import { offloadMiddleware } from "context-offload/ai-sdk";
import type { LedgerReport } from "context-offload/ledger";
import { describe, expect, it } from "vitest";
import { HOOK, MAIN, STATUS_LINE, TestFolder } from "./support/command.js";

const logOf = (name: string | number, lines = 1_500): string =>
  Array.from({ length: lines }, (_, at) => `${name} line ${at} value ${(at * 7919) % 997}`).join(
    "\n",
  );

function callHook(place: TestFolder, more: object, args: readonly string[] = []): string {
  const event = {
    ...{ hook_event_name: "PostToolUse", session_id: "s-1", cwd: place.folder },
    ...{ tool_name: "Bash", tool_input: { command: "cat log" }, ...more },
  };
  const { stdout, stderr } = place.spawn(args, { input: JSON.stringify(event), script: HOOK });
  expect(stderr).toBe("");
  return stdout;
}

const outputOf = (stdout: string) => ({ stdout, stderr: "", interrupted: false });

it("the status line takes less than 50 ms of its own, beyond a bare Node", () => {
  const place = new TestFolder();
  for (let at = 0; at < 10; at++) {
    callHook(place, { tool_use_id: `c-${at}`, tool_response: outputOf(logOf(at)) });
  }
  place.write(
    "cpu.mjs",
    `process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    process.stderr.write(String((user + system) / 1_000));
  });`,
  );
  const env = { NODE_OPTIONS: `--import=${pathToFileURL(place.path("cpu.mjs")).href}` };
  place.write("bare.mjs", "");
  const taken = (script: string) =>
    Number(place.spawn([], { env, script, input: JSON.stringify({ session_id: "s-1" }) }).stderr);
  // The least of several, in turns: a busy machine takes longer, never shorter.
  let [own, bare] = [Infinity, Infinity];
  for (let run = 0; run < 7; run++) {
    own = Math.min(own, taken(STATUS_LINE));
    bare = Math.min(bare, taken(place.path("bare.mjs")));
  }
  expect(own).toBeGreaterThan(bare);
  expect(own - bare).toBeLessThan(50);
});

it("what the MCP server reads for an agent belongs to the session of its hook", async () => {
  const place = new TestFolder();
  callHook(place, { tool_use_id: "c", tool_response: outputOf(logOf("x")) }, [
    ...["--tool-prefix", "mcp__offload__"],
  ]);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      ...{
        command: process.execPath,
        args: [MAIN, "mcp", "--read-only", "--hook"],
        cwd: place.folder,
      },
      env: place.env() as Record<string, string>,
    }),
  );
  const { tools } = await client.listTools();
  const given = { artifact_id: "c", start_line: 101, end_line: 300 };
  const name = "get_knowledge_by_lines";
  const { content } = await client.callTool({ name, arguments: given });
  await client.close();
  const [{ text }] = content as [{ text: string }];
  // As the model sees them: with the name of the server before theirs.
  const listed = tools.map(({ name, description, inputSchema }) => ({
    ...{ name: `mcp__offload__${name}`, description, inputSchema },
  }));
  const list = estimateTokens(JSON.stringify(listed));
  const { sessions } = JSON.parse((await place.run("stats", "--json")).stdout) as LedgerReport;
  const reads = estimateTokens(`${name} ${JSON.stringify(given)}`) + estimateTokens(text);
  expect(sessions).toMatchObject([{ sessionId: "s-1", results: 1, readCalls: 1, reads }]);
  expect(sessions[0]?.artifacts[0]?.readLines).toEqual([[101, 300]]);
  const { fixed = 0 } = sessions[0] ?? {};
  expect(fixed).toBeGreaterThan(list);
  expect(fixed).toBeLessThan(1.25 * list);
});

describe("when nothing is offloaded, stats, status line and doctor say why", () => {
  const everywhere = async (place: TestFolder, why: RegExp, transcript?: string) => {
    const input = JSON.stringify({ session_id: "s-1", transcript_path: transcript });
    expect((await place.runAs({ input }, ["status-line"])).stdout).toMatch(why);
    expect((await place.run("stats")).stdout).toMatch(why);
    expect((await place.run("doctor")).stdout).toMatch(why);
  };

  it("large results, all of which were kept", async () => {
    const place = new TestFolder();
    place.makeFolder(".offload");
    const large = { tool_response: outputOf(logOf("x")) };
    for (let at = 0; at < 3; at++) callHook(place, large, ["--exclude", "Bash"]);
    await everywhere(place, /3 large results, nothing offloaded \(3: its tool is excluded\)/);
    // A small one is no reason to say anything.
    const other = new TestFolder();
    other.makeFolder(".offload");
    callHook(other, { tool_response: outputOf("small") }, ["--exclude", "Bash"]);
    expect((await other.run("stats")).stdout).not.toMatch(/large result/);
  });

  it("large results in requests whose list of tools has none of ours", async () => {
    const place = new TestFolder();
    const workspace = createWorkspace({ root: place.path(".offload") });
    const { transformParams } = offloadMiddleware({ workspace, sessionId: "s-1" });
    const output = { type: "text", value: logOf("x") };
    const result = { type: "tool-result", toolCallId: "c", toolName: "bash", output };
    const params = { prompt: [{ role: "tool", content: [result] }], tools: [] };
    await transformParams({ params: params as never });
    await workspace.close();
    await everywhere(place, /1 large result, nothing offloaded \(1: the tool list of the request/);
  });

  it("a hook that is set up and was never called", async () => {
    const place = new TestFolder();
    place.makeFolder(".offload");
    await place.run("install", "claude-code", "--no-tools");
    const result = { type: "user", message: { content: [{ type: "tool_result" }] } };
    place.write("t.jsonl", `${JSON.stringify(result)}\n`);
    await everywhere(place, /the hook was never called/, place.path("t.jsonl"));
    callHook(place, { tool_response: outputOf("small") });
    expect((await place.run("stats")).stdout).not.toMatch(/never called/);
  });

  it("references to tools that no agent has listed", async () => {
    const place = new TestFolder();
    await place.run("install", "claude-code");
    const call = (): string =>
      callHook(place, { tool_use_id: "c", tool_response: outputOf(logOf("x")) }, [
        ...["--tool-prefix", "mcp__offload__"],
      ]);
    call();
    const why = /no agent has asked for the list of our reading tools/;
    await everywhere(place, why);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(
      new StdioClientTransport({
        ...{ command: process.execPath, args: [MAIN, "mcp"], cwd: place.folder },
        env: place.env() as Record<string, string>,
      }),
    );
    await client.listTools();
    await client.close();
    expect((await place.run("stats")).stdout).not.toMatch(why);
    // Nor when the traces have been cut since.
    const line = `${JSON.stringify({ session: "s-1", hasTools: true })}\n`;
    for (let cut = 0; cut < 2; cut++) {
      const path = place.path(".offload/hook-calls.jsonl");
      appendFileSync(path, line.repeat(250_000 / line.length));
      call();
    }
    expect(existsSync(place.path(".offload/hook-calls.old.jsonl"))).toBe(true);
    expect((await place.run("stats")).stdout).not.toMatch(why);
  });
});
