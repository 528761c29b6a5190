import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { HOOK, MAIN, TestFolder } from "../../packages/cli/tests/support/command.js";
import { createWorkspace, estimateTokens } from "../../src/index.js";
import { offloadRequests } from "../../src/integrations/anthropic/index.js";
import { readLedger, type LedgerReport, type SessionFigures } from "../../src/ledger.js";
import { openTelemetry } from "../../src/open-telemetry.js";
import { metricsTo } from "../support/export-metrics.mjs";
import { openPage } from "./browser.js";

const FILES = createRequire(new URL("../../packages/mcp/package.json", import.meta.url)).resolve(
  "@modelcontextprotocol/server-filesystem/dist/index.js",
);
const SDK = new URL("../support/export-metrics.mjs", import.meta.url).href;

const logOf = (name: string | number, lines = 1_500): string =>
  Array.from({ length: lines }, (_, at) => `${name} line ${at} value ${(at * 7919) % 997}`).join(
    "\n",
  );

/** A count of the test's own: what it says of the wire shares nothing with the package. */
const countHere = (text: string): number => Math.ceil(text.length / 3);

type Flow = Readonly<Record<"whole" | "references" | "reads" | "fixed", number>>;

const netOf = ({ whole, references, reads, fixed }: Flow): number =>
  whole - references - reads - fixed;

/** A folder whose processes have an OpenTelemetry SDK. */
class WatchedFolder extends TestFolder {
  override env(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
    const telemetry = { NODE_OPTIONS: `--import=${SDK}`, METRICS_FILE: this.path("metrics.jsonl") };
    return super.env({ ...telemetry, ...more });
  }

  /** What telemetry says of tokens, by type: `token.usage` over all requests, or `token.arrival` for each one. */
  flow(metric: "token.usage" | "token.arrival"): Flow {
    const flow = { whole: 0, references: 0, reads: 0, fixed: 0 };
    const file = this.path("metrics.jsonl");
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    for (const line of lines) {
      const { name, attributes, value } = JSON.parse(line) as Point;
      const type = attributes["context_offload.token.type"] as keyof Flow | undefined;
      if (name === `context_offload.${metric}` && type) flow[type] += value;
      const isOverhead = name === "context_offload.request.overhead" && metric === "token.arrival";
      if (isOverhead) flow.fixed = value;
    }
    return flow;
  }
}

interface Point {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Ledger, `stats`, status line, telemetry and page say the same net as the wire, and it is made of the same parts. */
async function expectEverywhere(
  context: TestContext,
  place: WatchedFolder,
  wire: Flow,
  told: Partial<SessionFigures>,
  session?: string,
): Promise<LedgerReport> {
  const net = netOf(wire);
  const workspace = createWorkspace({ root: place.path(".offload") });
  const report = await readLedger(workspace);
  await workspace.close();
  expect(report.sessions).toMatchObject([{ ...wire, net, ...told }]);

  const figure = Math.abs(net).toLocaleString("en-US");
  const { stdout } = await place.run("stats");
  expect(stdout).toContain(`saved ${figure} tokens`);
  const { sessions } = JSON.parse((await place.run("stats", "--json")).stdout) as LedgerReport;
  expect(sessions).toMatchObject([{ ...wire, net }]);

  const input = session === undefined ? "" : JSON.stringify({ session_id: session });
  const line = await place.runAs({ input }, ["status-line"]);
  expect(line.stdout.split("\n")).toHaveLength(2);
  expect(line.stdout).toContain(`${figure} tokens saved`);
  // The bundle that agents start says the same.
  expect(place.spawn(["status-line"], { input }).stdout).toBe(line.stdout);

  const isSum = told.over === "all requests";
  expect(place.flow(isSum ? "token.usage" : "token.arrival")).toEqual(wire);
  // Of one kind or the other, so that nobody can add both.
  const other = place.flow(isSum ? "token.arrival" : "token.usage");
  expect(other).toMatchObject({ whole: 0, references: 0, reads: 0 });

  const { page } = await openPage(context);
  await page.goto(await startPage(place));
  await page.locator(".sentence b").first().waitFor();
  expect(await page.locator(".total").textContent()).toContain(figure);
  expect(await page.locator(".sentence b").allTextContents()).toEqual([
    expect.stringContaining(figure),
  ]);
  for (const name of ["references", "reads", "fixed", "net"] as const) {
    const part = page.locator(`.bar .${name}`);
    const drawn = (await part.count()) === 0 ? 0 : Number(await part.getAttribute("data-tokens"));
    expect([name, drawn]).toEqual([name, name === "net" ? net : wire[name]]);
  }
  return report;
}

async function startPage(place: WatchedFolder): Promise<string> {
  const child = place.start(["page"]);
  onTestFinished(async () => {
    child.kill("SIGINT");
    if (child.exitCode === null) await once(child, "close");
  });
  const [address] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  return address.trim();
}

interface HookAnswer {
  readonly hookSpecificOutput: { readonly updatedToolOutput: { readonly stdout: string } };
}

describe("ten large results: ledger, stats, status line, telemetry and page say what the wire does", () => {
  it("through the hook", async (context) => {
    const place = new WatchedFolder();
    const wire = { whole: 0, references: 0, reads: 0, fixed: 0 };
    const callHook = (more: object): string => {
      const event = {
        ...{ hook_event_name: "PostToolUse", session_id: "s-1", cwd: place.folder },
        ...{ tool_name: "Bash", tool_input: { command: "cat log" }, ...more },
      };
      const answer = place.spawn([], { input: JSON.stringify(event), script: HOOK });
      expect(answer.stderr).toBe("");
      return answer.stdout;
    };
    for (let at = 0; at < 10; at++) {
      const text = logOf(at);
      const tool_response = { stdout: text, stderr: "", interrupted: false };
      const answer = callHook({ tool_use_id: `call-${at}`, tool_response });
      const { stdout } = (JSON.parse(answer) as HookAnswer).hookSpecificOutput.updatedToolOutput;
      wire.whole += estimateTokens(text);
      wire.references += estimateTokens(stdout);
    }
    const path = place.path(".offload/v1/default/s-1/call-3.txt");
    const content = readFileSync(path, "utf8").slice(0, 5_000);
    const file = { filePath: path, content, numLines: 9, startLine: 1, totalLines: 1_500 };
    const tool_input = { file_path: path };
    callHook({ tool_name: "Read", tool_input, tool_response: { type: "text", file } });
    wire.reads += estimateTokens(`Read ${JSON.stringify(tool_input)}`) + estimateTokens(content);
    const told = { over: "each request", results: 10, readCalls: 1 } as const;
    const { sessions } = await expectEverywhere(context, place, wire, told, "s-1");
    const [third] = sessions[0]?.artifacts.filter((one) => one.artifactId === "call-3") ?? [];
    expect(third?.reads).toBe(1);
  });

  it("through the gateway", async (context) => {
    const place = new WatchedFolder();
    const client = new Client({ name: "test", version: "1" });
    const args = [MAIN, "gateway", "--", process.execPath, FILES, place.folder];
    const env = place.env() as Record<string, string>;
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: place.folder, env }),
    );
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    const own = tools.filter(({ name }) => name === "read_stored");
    const [{ description = "", inputSchema } = { inputSchema: {} }] = own;
    const listed = JSON.stringify([{ name: "read_stored", description, inputSchema }]);
    const prompt = client.getInstructions() ?? "";
    const fixed = estimateTokens(listed) + estimateTokens(prompt);
    const wire = { whole: 0, references: 0, reads: 0, fixed };
    let id = "";
    for (let at = 0; at < 10; at++) {
      const text = logOf(at);
      place.write(`log-${at}.txt`, text);
      const path = place.path(`log-${at}.txt`);
      const reference = textIn(
        await client.callTool({ name: "read_text_file", arguments: { path } }),
      );
      [, id = ""] = /^<knowledge_list>[^]*?<knowledge id="([^"]+)"/.exec(reference) ?? [];
      expect(id).not.toBe("");
      wire.whole += estimateTokens(text);
      wire.references += estimateTokens(reference);
    }
    const input = { id, lines: "1-50" };
    const read = await client.callTool({ name: "read_stored", arguments: input });
    wire.reads += estimateTokens(`read_stored ${JSON.stringify(input)}`);
    wire.reads += estimateTokens(textIn(read));
    await client.close();
    const told = { over: "each request", results: 10, readCalls: 1 } as const;
    await expectEverywhere(context, place, wire, told);
  });

  it("through a drop-in, with the provider's usage beside it", async (context) => {
    const place = new WatchedFolder();
    const meters = metricsTo(place.path("metrics.jsonl"));
    const workspace = createWorkspace({
      root: place.path(".offload"),
      countTokens: countHere,
      logger: openTelemetry({ meter: meters.getMeter("test") }),
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
    await meters.shutdown();
    const { flow, requests } = model.wire();
    expect(flow.reads).toBeGreaterThan(0);
    const usage = {
      ...{ requests, inputTokens: 7 * requests, cacheReadTokens: 5 * requests },
      ...{ cacheWriteTokens: 3 * requests, outputTokens: 2 * requests },
    };
    const told = { over: "all requests", requests, usage } as const;
    await expectEverywhere(context, place, flow, told, "s-1");
  });
});

function textIn({ content }: object & { content?: unknown }): string {
  return (content as readonly { text?: string }[]).map(({ text = "" }) => text).join("\n");
}

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
      flow.fixed += countHere(JSON.stringify(own)) + countHere(String(prompt));
      const readings = new Set<string>();
      // Without offloading, nobody would make a request that only goes on from reading.
      const reply = messages.findLast(({ role }) => role === "assistant")?.content ?? [];
      const calls = typeof reply === "string" ? [] : reply.filter((one) => one.type === "tool_use");
      const isForReading = calls.length > 0 && calls.every((call) => call.name === "read_stored");
      for (const { content } of messages) {
        for (const block of typeof content === "string" ? [] : content) {
          if (block.type === "tool_use" && block.name === "read_stored") {
            readings.add(block.id ?? "");
            flow.reads += countHere(`read_stored ${JSON.stringify(block.input)}`);
          }
          if (block.type !== "tool_result") continue;
          const id = block.tool_use_id ?? "";
          const sent = countHere(String(block.content));
          if (readings.has(id)) flow.reads += sent;
          else if (block.content !== this.whole.get(id)) {
            if (!isForReading) flow.whole += countHere(this.whole.get(id) ?? "");
            flow.references += sent;
          }
        }
      }
    }
    return { flow, requests: this.#bodies.length };
  }
}
