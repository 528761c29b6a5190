import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import Database from "libsql";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  createOffloader,
  createWorkspace,
  DEFAULTS,
  estimateTokens,
  fileStore,
  memoryStore,
  type Workspace,
} from "../../../src/index.js";
import type { AnthropicMessage } from "../../../src/formats/index.js";
import {
  objectStore,
  postgresMetadata,
  postgresStore,
  sqliteStore,
  type OpenStore,
} from "../../../src/stores.js";
import { noteRead, noteUsage, readLedger } from "../../../src/ledger.js";
import { readTree } from "../../support/list-tree.js";
import { BUCKET, startObjects, type RealObjects } from "../../support/real-objects.js";
import { startPostgres, type RealPostgres } from "../../support/real-postgres.js";
import { makeTempFolder } from "../../support/temp-folder.js";

type Block = { type: string; id?: string; tool_use_id?: string; [field: string]: unknown };

const textOf = (name: string, lines: number): string =>
  Array.from({ length: lines }, (_, at) => `${name} line ${at} value ${(at * 7919) % 997}`).join(
    "\n",
  );

/** One request as a provider counts it: what its results and their references take, and what reading added. */
function countWire(messages: readonly AnthropicMessage[], whole: ReadonlyMap<string, string>) {
  const flow = { whole: 0, references: 0, reads: 0 };
  const readingCalls = new Set<string>();
  // Without offloading, nobody would make a request that only goes on from reading.
  const reply = messages.findLast(({ role }) => role === "assistant")?.content ?? [];
  const calls = typeof reply === "string" ? [] : (reply as unknown as readonly Block[]);
  const isForReading = calls.length > 0 && calls.every((call) => call["name"] === "read_stored");
  for (const { content } of messages) {
    if (typeof content === "string") continue;
    for (const block of content as unknown as readonly Block[]) {
      if (block.type === "tool_use" && block["name"] === "read_stored") {
        readingCalls.add(block.id ?? "");
        flow.reads += estimateTokens(`read_stored ${JSON.stringify(block["input"])}`);
      }
      if (block.type !== "tool_result") continue;
      const sent = estimateTokens(block["content"] as string);
      const id = block.tool_use_id ?? "";
      if (readingCalls.has(id)) flow.reads += sent;
      else if (block["content"] !== whole.get(id)) {
        if (!isForReading) flow.whole += estimateTokens(whole.get(id) ?? "");
        flow.references += sent;
      }
    }
  }
  return flow;
}

/** An agent that gets large results and reads one of them back in full; what it cost by the wire. */
async function runAgent(workspace: Workspace, sessionId: string, turns: number) {
  const offloader = createOffloader({ workspace, sessionId, format: "anthropic" });
  const whole = new Map<string, string>();
  const history: AnthropicMessage[] = [{ role: "user", content: "find the fault" }];
  const wire = { whole: 0, references: 0, reads: 0, fixed: 0, requests: 0 };
  const tools = JSON.stringify(
    workspace
      .tools({ sessionId, readingTools: "one" })
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  );
  const fixed = estimateTokens(tools) + estimateTokens(offloader.systemPrompt());
  const send = async () => {
    const { messages } = await offloader.offload(history);
    const flow = countWire(messages, whole);
    for (const name of ["whole", "references", "reads"] as const) wire[name] += flow[name];
    wire.fixed += fixed;
    wire.requests++;
  };
  for (let turn = 0; turn < turns; turn++) {
    await send();
    const id = `call-${turn}`;
    const isRead = turn === 3;
    const input = isRead ? { id: "call-1", lines: "1-400" } : { command: `step ${turn}` };
    const call = { type: "tool_use" as const, id, name: isRead ? "read_stored" : "bash", input };
    history.push({ role: "assistant", content: [call] });
    let content = textOf(`log ${turn}`, 1500 - turn * 10);
    if (isRead) {
      const answer = await offloader.handleToolCall(call);
      content = (answer as unknown as Block)["content"] as string;
    }
    whole.set(id, content);
    history.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content }],
    });
  }
  await send();
  return wire;
}

let postgres: RealPostgres;
let objects: RealObjects;
beforeAll(async () => {
  [postgres, objects] = await Promise.all([startPostgres(), startObjects()]);
});
afterAll(() => Promise.all([postgres.end(), objects.end()]));

function openPool(): pg.Pool {
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 });
  onTestFinished(() => pool.end());
  return pool;
}

function openObjects(): OpenStore {
  const client = objects.client();
  onTestFinished(() => {
    client.destroy();
  });
  return objectStore({ client, bucket: BUCKET, metadata: postgresMetadata(openPool()) });
}

const STORES: readonly [string, (folder: string) => OpenStore][] = [
  ["in files", (folder) => fileStore(folder)],
  ["in memory", () => memoryStore()],
  ["in SQLite", (folder) => sqliteStore(new Database(join(folder, "offload.db")))],
  ["in PostgreSQL", () => postgresStore(openPool())],
  ["in S3", () => openObjects()],
];
let namespaces = 0;

describe("the ledger", () => {
  it.each(STORES)("%s: net is what the wire says, over all requests", async (_, storeIn) => {
    const store = storeIn(await makeTempFolder());
    const namespace = `one-${(namespaces += 1)}`;
    const workspace = createWorkspace({ store, namespace });
    const wire = await runAgent(workspace, "s", 12);
    await workspace.close();
    // Another process reads it.
    const { sessions, total } = await readLedger(createWorkspace({ store, namespace }));
    const [session] = sessions;
    expect(wire.whole).toBeGreaterThan(100_000);
    expect(wire.reads).toBeGreaterThan(3_000);
    expect(session).toMatchObject({ sessionId: "s", over: "all requests", ...wire });
    expect(session?.net).toBe(wire.whole - wire.references - wire.reads - wire.fixed);
    expect(total.net).toBe(session?.net);
  });

  it.each(STORES)("%s: two hosts that write at once are summed up once", async (_, storeIn) => {
    const folder = await makeTempFolder();
    const store = storeIn(folder);
    const namespace = `two-${(namespaces += 1)}`;
    const hosts = [createWorkspace({ store, namespace }), createWorkspace({ store, namespace })];
    const rounds = 3 * DEFAULTS.ledgerEntries;
    for (let round = 0; round < rounds; round++) {
      await Promise.all(
        hosts.map(async (host) => {
          noteRead(host, "s", { artifactId: "call-1", tokens: 10 });
          noteUsage(host, "s", { inputTokens: 7 });
          // What was noted is written before it is read.
          await readLedger(host, { sessionId: "s" });
        }),
      );
    }
    const { sessions } = await readLedger(createWorkspace({ store, namespace }));
    expect(sessions).toMatchObject([
      {
        readCalls: 2 * rounds,
        reads: 20 * rounds,
        usage: { requests: 2 * rounds, inputTokens: 14 * rounds },
      },
    ]);
  });

  it("is read over an encrypted store as over any other", async () => {
    const root = await makeTempFolder();
    const encryption = { key: new Uint8Array(32).fill(7) };
    const workspace = createWorkspace({ root, encryption });
    const wire = await runAgent(workspace, "s", 6);
    await workspace.close();
    const { sessions } = await readLedger(createWorkspace({ root, encryption }));
    expect(sessions).toMatchObject([wire]);
  });

  it("is off the path of a put: a store that never takes it holds nobody up", async () => {
    const open = memoryStore();
    const store: OpenStore = (namespace) => {
      const opened = open(namespace);
      if (namespace.endsWith("ledger")) opened.put = () => new Promise(() => undefined);
      return opened;
    };
    const wire = await runAgent(createWorkspace({ store }), "s", 6);
    expect(wire.whole).toBeGreaterThan(10_000);
  });

  it("loses no read of which a slow store still has to say whose it is when the workspace is closed", async () => {
    const open = memoryStore();
    let isSlow = false;
    const store: OpenStore = (namespace) => {
      const opened = open(namespace);
      const list = opened.listSession.bind(opened);
      opened.listSession = async (session) => {
        if (isSlow) await setTimeout(20);
        return list(session);
      };
      return opened;
    };
    const workspace = createWorkspace({ store });
    await workspace.put({ content: textOf("a", 9) }, { toolCallId: "a", sessionId: "s" });
    const [tool] = workspace.tools();
    isSlow = true;
    await tool?.execute({ artifact_id: "a" });
    await workspace.close();
    const { sessions } = await readLedger(createWorkspace({ store }));
    expect(sessions).toMatchObject([{ sessionId: "s", readCalls: 1 }]);
  });

  it("counts calls of reading tools that fail: the model pays for their answers as well", async () => {
    const workspace = createWorkspace({ store: memoryStore() });
    await workspace.put({ content: textOf("a", 9) }, { toolCallId: "a", sessionId: "s" });
    const call = { id: "none", lines: "1-2" };
    let tokens = 0;
    for (const sessionId of ["s", undefined]) {
      const [tool] = workspace.tools({ sessionId, readingTools: "one" });
      const given = sessionId === undefined ? { id: "a", lines: "99-100" } : call;
      const { text, isError } = (await tool?.execute(given)) ?? { text: "", isError: false };
      expect(isError).toBe(true);
      tokens += estimateTokens(`read_stored ${JSON.stringify(given)}`) + estimateTokens(text);
    }
    await workspace.close();
    const { sessions } = await readLedger(workspace);
    expect(sessions).toMatchObject([{ sessionId: "s", readCalls: 2, reads: tokens }]);
    expect(sessions[0]?.artifacts.map(({ artifactId }) => artifactId)).not.toContain("none");
  });

  it("is negative where reading cost more than it saved", async () => {
    const workspace = createWorkspace({ store: memoryStore() });
    const offloader = createOffloader({ workspace, sessionId: "s", format: "anthropic" });
    await offloader.offload([{ role: "user", content: "hello" }]);
    const { total } = await readLedger(workspace);
    expect(total).toMatchObject({ whole: 0, results: 0, requests: 1 });
    expect(total.net).toBe(-total.fixed);
    expect(total.net).toBeLessThan(0);
  });

  it("holds no content, and can be turned off", async () => {
    const filesOfLedger = async (root: string) =>
      [...(await readTree(root))].filter(([path]) => path.includes("ledger"));
    const root = await makeTempFolder();
    const workspace = createWorkspace({ root });
    await runAgent(workspace, "s", 4);
    await workspace.close();
    const files = await filesOfLedger(root);
    expect(files.length).toBeGreaterThan(0);
    for (const [, text] of files) expect(text).not.toContain("value");

    const other = await makeTempFolder();
    const without = createWorkspace({ root: other, ledger: false });
    await runAgent(without, "s", 4);
    await without.close();
    expect(await filesOfLedger(other)).toEqual([]);
    expect((await readLedger(without)).sessions).toEqual([]);
  });

  it("goes with its session", async () => {
    const workspace = createWorkspace({ store: memoryStore() });
    await runAgent(workspace, "a", 4);
    await runAgent(workspace, "b", 4);
    await workspace.removeSession("a");
    const { sessions } = await readLedger(workspace);
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["b"]);
  });
});

it("loses its last seconds where the process is killed, and nothing else", async () => {
  const root = await makeTempFolder();
  const at = (name: string) => JSON.stringify(new URL(`../../../dist/${name}`, import.meta.url));
  const script = `
    const { createWorkspace } = await import(${at("index.js")});
    const { noteUsage } = await import(${at("ledger.js")});
    const workspace = createWorkspace({ root: ${JSON.stringify(root)} });
    await workspace.put({ content: "x" }, { toolCallId: "a", sessionId: "s" });
    for (let count = 1; ; count++) {
      noteUsage(workspace, "s", { inputTokens: 7 });
      process.stdout.write(JSON.stringify([count, Date.now()]) + "\\n");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  const noted: [count: number, at: number][] = [];
  for await (const line of createInterface(child.stdout)) {
    noted.push(JSON.parse(line) as [number, number]);
    const [[, first] = [0, 0], [, last] = [0, 0]] = [noted[0], noted.at(-1)];
    if (last - first > 3 * DEFAULTS.ledgerDelayMs) child.kill("SIGKILL");
  }
  const [count = 0, killed = 0] = noted.at(-1) ?? [];
  const [sure = 0] = noted.findLast(([, at]) => at < killed - 2 * DEFAULTS.ledgerDelayMs) ?? [];
  expect(sure).toBeGreaterThan(0);
  const workspace = createWorkspace({ root });
  const requests = async () => (await readLedger(workspace)).sessions[0]?.usage?.requests ?? 0;
  const kept = await requests();
  expect(kept).toBeGreaterThanOrEqual(sure);
  expect(kept).toBeLessThanOrEqual(count);
  // It goes on where that one ended.
  noteUsage(workspace, "s", { inputTokens: 7 });
  expect(await requests()).toBe(kept + 1);
  await workspace.close();
});

it("brings no folder back that was removed", async () => {
  const root = join(await makeTempFolder(), "workspace");
  const workspace = createWorkspace({ root });
  const offloader = createOffloader({ workspace, sessionId: "s", format: "anthropic" });
  await workspace.put({ content: "x" }, { toolCallId: "a", sessionId: "s" });
  await offloader.offload([{ role: "user", content: "hello" }]);
  await rm(root, { recursive: true });
  await workspace.close();
  expect(existsSync(root)).toBe(false);
});
