import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioClientTransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { z } from "zod";

const require = createRequire(import.meta.url);
const entryOf = (name: string): string =>
  join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), "dist/index.js");

export const EVERYTHING = entryOf("server-everything");
export const FILESYSTEM = entryOf("server-filesystem");
export const support = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
export const FAULTY = support("faulty-server.mjs");
export const STATELESS = support("stateless-server.mjs");
const GATEWAY = support("run-gateway.mjs");
const SERVER = support("run-server.mjs");

export type Json = Readonly<Record<string, unknown>>;

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "context-offload-mcp-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** What both generations of the official client can do, under one name. */
export interface Peer {
  request(method: string, params?: Json, options?: RequestExtras): Promise<Json>;
  notify(method: string, params?: Json): Promise<void>;
  callTool(name: string, input?: Json): Promise<Json>;
  serverInfo(): unknown;
  capabilities(): unknown;
  readonly notices: { readonly method: string; readonly params?: unknown }[];
  /** The requests of the server that the client has answered. */
  readonly asked: { readonly method: string; readonly params?: unknown }[];
  close(): Promise<void>;
}

interface RequestExtras {
  readonly onprogress?: (progress: unknown) => void;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

/** SDK 1, SDK 2 as it is, which is of 2025, and SDK 2 in the revision 2026-07-28, if the server has it or only then. */
export type Generation = "v1" | "v2" | "v2 auto" | "v2 2026";

const CAPABILITIES = { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } };
const ANSWERS = {
  "sampling/createMessage": {
    role: "assistant" as const,
    model: "test-model",
    content: { type: "text" as const, text: "an answer of the model" },
  },
  "elicitation/create": { action: "accept" as const, content: { name: "Ada", check: true } },
  "roots/list": { roots: [{ uri: "file:///tmp/project", name: "project" }] },
};

/** Starts a program and connects to it as an MCP client. */
export async function connect(
  args: readonly string[],
  generation: Generation = "v2",
  env: Record<string, string> = {},
): Promise<Peer> {
  const command = { command: process.execPath, args: [...args], stderr: "ignore" as const, env };
  const peer =
    generation === "v1"
      ? await connectV1(new StdioClientTransportV1(command))
      : await connectV2(
          new StdioClientTransport({ ...command, maxBufferSize: 100_000_000 }),
          generation,
        );
  onTestFinished(() => peer.close());
  return peer;
}

/** What a server sent to the client, and the answers to what it asks. */
function createRecord() {
  const [notices, asked]: [Peer["notices"], Peer["asked"]] = [[], []];
  const say =
    <Method extends keyof typeof ANSWERS>(method: Method) =>
    ({ params }: { params?: unknown }): (typeof ANSWERS)[Method] => {
      asked.push({ method, params });
      return ANSWERS[method];
    };
  const note = async ({ method, params }: Peer["notices"][number]): Promise<void> => {
    notices.push({ method, params });
    await Promise.resolve();
  };
  return { notices, asked, say, note };
}

export async function connectV2(
  transport: Parameters<ClientV2["connect"]>[0],
  generation: Generation = "v2",
): Promise<Peer> {
  const mode =
    generation === "v2 2026" ? { pin: "2026-07-28" } : generation === "v2" ? "legacy" : "auto";
  const client = new ClientV2(
    { name: "test", version: "1.0.0" },
    { capabilities: CAPABILITIES, versionNegotiation: { mode } },
  );
  const { notices, asked, say, note } = createRecord();
  client.setRequestHandler("sampling/createMessage", say("sampling/createMessage"));
  client.setRequestHandler("elicitation/create", say("elicitation/create"));
  client.setRequestHandler("roots/list", say("roots/list"));
  client.fallbackNotificationHandler = note;
  await client.connect(transport);
  const request: Peer["request"] = async (method, params, options) =>
    await client.request({ method, ...(params ? { params } : {}) }, z.looseObject({}), options);
  return {
    ...{ request, notices, asked },
    notify: (method, params) => client.notification({ method, params }),
    callTool: (name, input = {}) => client.callTool({ name, arguments: input }),
    serverInfo: () => client.getServerVersion(),
    capabilities: () => client.getServerCapabilities(),
    close: () => client.close(),
  };
}

async function connectV1(transport: StdioClientTransportV1): Promise<Peer> {
  const client = new ClientV1({ name: "test", version: "1.0.0" }, { capabilities: CAPABILITIES });
  const { notices, asked, say, note } = createRecord();
  client.setRequestHandler(CreateMessageRequestSchema, say("sampling/createMessage"));
  client.setRequestHandler(ElicitRequestSchema, say("elicitation/create"));
  client.setRequestHandler(ListRootsRequestSchema, say("roots/list"));
  client.fallbackNotificationHandler = note;
  await client.connect(transport);
  return {
    ...{ notices, asked },
    request: (method, params, options) =>
      client.request({ method, ...(params ? { params } : {}) }, z.looseObject({}), options),
    notify: (method, params) => client.notification({ method, params }),
    callTool: (name, input = {}) => client.callTool({ name, arguments: input }),
    serverInfo: () => client.getServerVersion(),
    capabilities: () => client.getServerCapabilities(),
    close: () => client.close(),
  };
}

/** The options of a gateway that runs in a process of its own. */
export interface GatewaySetup {
  readonly root?: string;
  readonly servers: Readonly<Record<string, Json>>;
  readonly contextOffload?: Json;
  readonly limits?: Json;
  readonly generation?: Generation;
  readonly env?: Record<string, string>;
}

export const everything = { command: process.execPath, args: [EVERYTHING, "stdio"] };
export const filesystem = (folder: string): Json => ({
  command: process.execPath,
  args: [FILESYSTEM, folder],
});
export const faulty = (mode: string, ...args: readonly string[]): Json => ({
  command: process.execPath,
  args: [FAULTY, mode, ...args],
});

/** How to start a gateway. */
export async function gatewayArgs(setup: GatewaySetup): Promise<string[]> {
  const { servers, contextOffload, limits, root = await tempFolder() } = setup;
  const config = { mcpServers: servers, contextOffload };
  return [GATEWAY, JSON.stringify({ root, config, limits })];
}

/** The messages that one request leads to, as they are on the wire, without those about lists. */
export async function wireOf(
  args: readonly string[],
  method: string,
  params: Json,
): Promise<readonly unknown[]> {
  const command = { command: process.execPath, args: [...args], stderr: "ignore" as const };
  const transport = new StdioClientTransport(command);
  onTestFinished(() => transport.close());
  const messages: Json[] = [];
  const answerTo = (id: string): Promise<unknown> =>
    until(() => messages.some((message) => message["id"] === id));
  transport.onmessage = (message) => messages.push(message);
  await transport.start();
  const hello = {
    ...{ protocolVersion: "2025-11-25", capabilities: {} },
    clientInfo: { name: "wire", version: "1.0.0" },
  };
  await transport.send({ jsonrpc: "2.0", id: "hello", method: "initialize", params: hello });
  await answerTo("hello");
  await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await transport.send({ jsonrpc: "2.0", id: "call", method, params });
  await answerTo("call");
  return messages.filter(({ id, method: notice }) => {
    return id === "call" || notice === "notifications/progress";
  });
}

export async function connectGateway(setup: GatewaySetup): Promise<Peer & { root: string }> {
  const { generation, env } = setup;
  const root = setup.root ?? (await tempFolder());
  const args = await gatewayArgs({ ...setup, root });
  return { ...(await connect(args, generation, env)), root };
}

export async function connectServer(options: Json, generation?: Generation): Promise<Peer> {
  return connect([SERVER, JSON.stringify(options)], generation);
}

/** The text of the first block of an answer. */
/** A long call of server-everything, which is cancelled when it tells of its progress. */
export function callUntilProgress(peer: Peer): Promise<unknown> {
  const stop = new AbortController();
  const params = {
    name: "trigger-long-running-operation",
    arguments: { duration: 30, steps: 300 },
  };
  return peer.request("tools/call", params, {
    signal: stop.signal,
    onprogress: () => {
      stop.abort();
    },
  });
}

export function textOf(result: Json): string {
  const [first] = result["content"] as readonly { readonly text?: string }[];
  return first?.text ?? "";
}

/** Waits until something is the case; the test's own time limit ends a wait in vain. */
export async function until(isTrue: () => unknown): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}
