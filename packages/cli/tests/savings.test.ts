import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  createOffloader,
  createWorkspace,
  estimateTokens,
  type WorkspaceEvent,
} from "context-offload";
import { offloadRequests } from "context-offload/anthropic";
import { readLedger, type LedgerReport } from "context-offload/ledger";
import { describe, expect, it, onTestFinished } from "vitest";
import { HOOK, MAIN, TestFolder } from "./support/command.js";

const FILES = createRequire(new URL("../../mcp/package.json", import.meta.url)).resolve(
  "@modelcontextprotocol/server-filesystem/dist/index.js",
);

const logOf = (name: string | number, lines = 1_500): string =>
  Array.from({ length: lines }, (_, at) => `${name} line ${at} value ${(at * 7919) % 997}`).join(
    "\n",
  );

interface HookAnswer {
  readonly hookSpecificOutput: { readonly updatedToolOutput: { readonly stdout: string } };
}

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

/** Ledger, `stats` and status line of a place say this net. */
async function expectNet(place: TestFolder, net: number, session?: string): Promise<LedgerReport> {
  const workspace = createWorkspace({ root: place.path(".offload") });
  const report = await readLedger(workspace);
  await workspace.close();
  expect(report.sessions.map((one) => one.net)).toEqual([net]);
  const figure = Math.abs(net).toLocaleString("en-US");
  const { stdout } = await place.run("stats");
  expect(stdout).toContain(`${figure} tokens`);
  const { sessions } = JSON.parse((await place.run("stats", "--json")).stdout) as LedgerReport;
  expect(sessions.map((one) => one.net)).toEqual([net]);
  const input = session === undefined ? "" : JSON.stringify({ session_id: session });
  const line = await place.runAs({ input }, ["status-line"]);
  expect(line.stdout.split("\n")).toHaveLength(2);
  expect(line.stdout).toContain(`${figure} tokens`);
  // The bundle that agents start says the same.
  expect(place.spawn(["status-line"], { input }).stdout).toBe(line.stdout);
  return report;
}

describe("ten large results", () => {
  it("through the hook: every figure is what the wire says", async () => {
    const place = new TestFolder();
    let net = 0;
    for (let at = 0; at < 10; at++) {
      const text = logOf(at);
      const answer = callHook(place, { tool_use_id: `call-${at}`, tool_response: outputOf(text) });
      const { stdout } = (JSON.parse(answer) as HookAnswer).hookSpecificOutput.updatedToolOutput;
      net += estimateTokens(text) - estimateTokens(stdout);
    }
    const path = place.path(".offload/v1/default/s-1/call-3.txt");
    const read = readFileSync(path, "utf8").slice(0, 5_000);
    const file = { filePath: path, content: read, numLines: 9, startLine: 1, totalLines: 1_500 };
    const tool_response = { type: "text", file };
    callHook(place, { tool_name: "Read", tool_input: { file_path: path }, tool_response });
    net -= estimateTokens(read);
    const { sessions } = await expectNet(place, net, "s-1");
    expect(sessions[0]).toMatchObject({ over: "each request", results: 10, readCalls: 1 });
    const [third] = sessions[0]?.artifacts.filter((one) => one.artifactId === "call-3") ?? [];
    expect(third?.reads).toBe(1);
  });

  it("through the gateway: every figure is what the wire says", async () => {
    const place = new TestFolder();
    const client = new Client({ name: "test", version: "1" });
    const args = [MAIN, "gateway", "--", process.execPath, FILES, place.folder];
    await client.connect(
      new StdioClientTransport({
        ...{ command: process.execPath, args, cwd: place.folder },
        env: place.env() as Record<string, string>,
      }),
    );
    onTestFinished(() => client.close());
    const textIn = ({ content }: object & { content?: unknown }): string =>
      (content as readonly { text?: string }[]).map(({ text = "" }) => text).join("\n");
    const { tools } = await client.listTools();
    const own = tools.filter(({ name }) => name === "read_stored");
    const [{ description = "", inputSchema } = { inputSchema: {} }] = own;
    let net = -estimateTokens(JSON.stringify([{ name: "read_stored", description, inputSchema }]));
    net -= estimateTokens(client.getInstructions() ?? "");
    let id = "";
    for (let at = 0; at < 10; at++) {
      place.write(`log-${at}.txt`, logOf(at));
      const answer = await client.callTool({
        name: "read_text_file",
        arguments: { path: place.path(`log-${at}.txt`) },
      });
      const [reference] = answer["content"] as readonly { text: string }[];
      const text = reference?.text ?? "";
      expect(text).toMatch(/^<knowledge_list>/);
      [, id = ""] = /<knowledge id="([^"]+)"/.exec(text) ?? [];
      net += estimateTokens(logOf(at)) - estimateTokens(text);
    }
    const read = await client.callTool({ name: "read_stored", arguments: { id, lines: "1-50" } });
    net -= estimateTokens(textIn(read));
    await client.close();
    const { sessions } = await expectNet(place, net);
    expect(sessions[0]).toMatchObject({ over: "each request", results: 10, readCalls: 1 });
  });

  it("through a drop-in: telemetry and the provider's usage, too", async () => {
    const place = new TestFolder();
    const events: WorkspaceEvent[] = [];
    const workspace = createWorkspace({
      root: place.path(".offload"),
      logger: (event) => events.push(event),
    });
    const middleware = offloadRequests({ workspace, sessionId: "s-1" });
    const model = new ScriptedModel();
    const messages: Message[] = [{ role: "user", content: "find the fault" }];
    const tools = [{ name: "bash", input_schema: { type: "object" } }];
    for (let turn = 0; turn <= 10; turn++) {
      const body = JSON.stringify({ model: "m", max_tokens: 9, messages, tools });
      const url = "https://api.anthropic.com/v1/messages";
      const request = { url, method: "POST", headers: new Headers(), body };
      const response = await middleware(request as never, (sent) => model.answer(sent));
      const { content } = (await response.json()) as { content: readonly Block[] };
      messages.push({ role: "assistant", content });
      const call = content.find(({ type }) => type === "tool_use");
      if (!call) break;
      const text = logOf(call.id ?? "", 1_200);
      model.whole.set(call.id ?? "", text);
      const result = { type: "tool_result", tool_use_id: call.id ?? "", content: text };
      messages.push({ role: "user", content: [result] });
    }
    await workspace.close();
    const { flow, requests } = model.wire();
    expect(flow.reads).toBeGreaterThan(0);
    const net = flow.whole - flow.references - flow.reads - flow.fixed;
    const { sessions, total } = await expectNet(place, net, "s-1");
    expect(sessions[0]).toMatchObject({ over: "all requests", ...flow, requests });
    expect(total.net).toBe(net);
    expect(sessions[0]?.usage).toMatchObject({
      ...{ requests, inputTokens: 7 * requests, cacheReadTokens: 5 * requests },
      ...{ cacheWriteTokens: 3 * requests, outputTokens: 2 * requests },
    });
    const told = events.filter(({ event }) => event === "request");
    const sum = (name: "whole" | "references" | "reads" | "fixed") =>
      told.reduce((all, event) => all + (event[`tokens_${name}`] ?? 0), 0);
    expect(sum("whole") - sum("references") - sum("reads") - sum("fixed")).toBe(net);
  });
});

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: unknown;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

/** A provider whose model calls a tool ten times, and in its seventh reply reads the first result. */
class ScriptedModel {
  readonly whole = new Map<string, string>();
  readonly #bodies: { messages: Message[]; tools: object[]; system?: unknown }[] = [];

  answer({ body }: { readonly body: string }): Promise<Response> {
    const at = this.#bodies.push(JSON.parse(body) as never);
    const isRead = at === 8;
    const call = { type: "tool_use", id: `call-${at}`, name: "bash", input: { step: at } };
    const reading = { ...call, name: "read_stored", input: { id: "call-1", lines: "1-80" } };
    const content = at > 11 ? [{ type: "text", text: "done" }] : [isRead ? reading : call];
    const usage = {
      ...{ input_tokens: 7, cache_read_input_tokens: 5, cache_creation_input_tokens: 3 },
      output_tokens: 2,
    };
    const stop_reason = at > 11 ? "end_turn" : "tool_use";
    const reply = { id: `msg-${at}`, role: "assistant", content, stop_reason, usage };
    return Promise.resolve(new Response(JSON.stringify(reply)));
  }

  /** What the requests carried, as a provider counts it. */
  wire() {
    const flow = { whole: 0, references: 0, reads: 0, fixed: 0 };
    for (const { messages, tools, system } of this.#bodies) {
      const own = (tools as { name: string; description: string; input_schema: object }[])
        .filter(({ name }) => name === "read_stored")
        .map(({ name, description, input_schema: inputSchema }) => ({
          ...{ name, description, inputSchema },
        }));
      const prompt = Array.isArray(system) ? (system as { text: string }[])[0]?.text : system;
      flow.fixed += estimateTokens(JSON.stringify(own)) + estimateTokens(String(prompt));
      const readings = new Set<string>();
      for (const { content } of messages) {
        for (const block of typeof content === "string" ? [] : content) {
          if (block.type === "tool_use" && block.name === "read_stored") {
            readings.add(block.id ?? "");
            flow.reads += estimateTokens(`read_stored ${JSON.stringify(block.input)}`);
          }
          if (block.type !== "tool_result") continue;
          const id = block.tool_use_id ?? "";
          const sent = estimateTokens(String(block.content));
          if (readings.has(id)) flow.reads += sent;
          else if (block.content !== this.whole.get(id)) {
            flow.whole += estimateTokens(this.whole.get(id) ?? "");
            flow.references += sent;
          }
        }
      }
    }
    return { flow, requests: this.#bodies.length };
  }
}

it("the status line is red where offloading costs more than it saves", async () => {
  const place = new TestFolder();
  const workspace = createWorkspace({ root: place.path(".offload") });
  const offloader = createOffloader({ workspace, sessionId: "s", format: "anthropic" });
  await offloader.offload([{ role: "user", content: "hello" }]);
  await workspace.close();
  const { stdout } = place.spawn(["status-line"], { input: JSON.stringify({ session_id: "s" }) });
  expect(stdout).toContain("\u001b[31mcosts ");
  expect(stdout).toMatch(/costs \d+ tokens more than it saves/);
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
    callHook(place, { tool_use_id: "c", tool_response: outputOf(logOf("x")) });
    const why = /no agent has asked for the list of our reading tools/;
    expect((await place.run("stats")).stdout).toMatch(why);
    expect((await place.run("doctor")).stdout).toMatch(why);
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
  });
});
