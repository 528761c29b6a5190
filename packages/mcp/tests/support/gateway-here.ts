import { PassThrough } from "node:stream";
import { createWorkspace } from "context-offload";
import { onTestFinished } from "vitest";
import { createGateway, type GatewayOptions } from "../../src/gateway/gateway.js";
import type { GatewayLimits, ServerConfig } from "../../src/gateway/gateway-config.js";
import type {
  Params,
  RpcId,
  RpcNotification,
  RpcRequest,
  RpcResponse,
} from "../../src/gateway/json-rpc.js";
import { LineReader, LineTransport } from "../../src/gateway/lines.js";
import { support, tempFolder } from "./peers.js";

const SCRIPTED = support("scripted-server.mjs");

export interface Script {
  readonly pages?: readonly { act?: string; nextCursor?: string; wait?: number }[];
  readonly calls?: readonly (readonly string[])[];
  readonly pings?: boolean;
}

/** A server that does what a script says, in its own process. */
export const scripted = (script: Script): ServerConfig => ({
  command: process.execPath,
  args: [SCRIPTED, JSON.stringify(script)],
});

type Setup = Partial<Pick<GatewayOptions, "workspace" | "policy">>;

/** A gateway in this process, and a client that sends whatever it is told to, byte by byte. */
export async function startGateway(
  servers: Readonly<Record<string, ServerConfig>>,
  limits: Partial<GatewayLimits> = {},
  setup: Setup = {},
) {
  const workspace = createWorkspace({ root: await tempFolder() });
  const gateway = createGateway({ servers, workspace, limits, ...setup });
  const notices: RpcNotification[] = [];
  const asked: RpcRequest[] = [];
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answers: (RpcResponse & { readonly id?: RpcId })[] = [];
  const waiting = new Map<RpcId, (answer: RpcResponse) => void>();
  const reader = new LineReader(1e9, {
    onLine: (line) => {
      const message = JSON.parse(line) as RpcResponse;
      if ("method" in message) {
        if ("id" in message) asked.push(message as unknown as RpcRequest);
        else notices.push(message);
        return;
      }
      answers.push(message);
      waiting.get(message.id)?.(message);
    },
  });
  output.on("data", (chunk: Buffer) => {
    reader.feed(chunk);
  });
  const serving = gateway.serve(
    new LineTransport(input, output, limits.maxMessageBytes ?? 67_108_864),
  );
  const close = async (): Promise<void> => {
    input.end();
    await serving;
    await workspace.close();
  };
  onTestFinished(close);
  const answerTo = (id: RpcId): Promise<RpcResponse> =>
    new Promise((resolve) => waiting.set(id, resolve));
  const write = (bytes: string | Buffer): boolean => input.write(bytes);
  let nextId = 1;
  const request = (method: string, params?: Params): Promise<RpcResponse> => {
    const id = nextId++;
    const answer = answerTo(id);
    write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return answer;
  };
  const call = (input_: Params = {}, name = "tool-0"): Promise<RpcResponse> =>
    request("tools/call", { name, arguments: input_ });
  const toolNames = async (): Promise<unknown[]> => {
    const answer = await request("tools/list");
    const tools = "result" in answer ? (answer.result["tools"] as Params[]) : [];
    return tools.map(({ name }) => name);
  };
  const notify = (method: string, params?: Params): boolean =>
    write(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  return { request, call, toolNames, write, notify, answerTo, answers, notices, asked, close };
}

/** The same, with a client of an older revision that has shaken hands. */
export async function openGateway(...[servers, limits, setup]: Parameters<typeof startGateway>) {
  const client = await startGateway(servers, limits, setup);
  const initialized = await client.request("initialize", {
    ...{ protocolVersion: "2025-06-18", capabilities: {} },
    clientInfo: { name: "test", version: "1.0.0" },
  });
  client.notify("notifications/initialized");
  return { ...client, initialized };
}

/** The params of a request of 2026-07-28. */
export function stateless(
  params: Params = {},
  capabilities: Params = {},
  more: Params = {},
): Params {
  return {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      ...more,
    },
  };
}

/** A result, or `{}` for an error. */
export function resultOf(answer: RpcResponse): Params {
  return "result" in answer ? answer.result : {};
}

/** The words of an answer, be it an error, an error of a tool or a result. */
export function wordsOf(answer: RpcResponse): string {
  if ("error" in answer) return answer.error.message;
  const [first] = (answer.result["content"] ?? []) as readonly { readonly text?: string }[];
  return first?.text ?? "";
}

/** What an error is told apart by. */
export function failureOf(answer: RpcResponse): unknown {
  return "error" in answer ? (answer.error.data as Params | undefined)?.["code"] : undefined;
}
