import { spawn } from "node:child_process";
import { request } from "node:http";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createWorkspace } from "context-offload";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveHttp, type ServeHttpOptions } from "../src/index.js";
import {
  connectGateway,
  connectV2,
  EVERYTHING,
  tempFolder,
  textOf,
  until,
  type Generation,
  type Json,
} from "./support/peers.js";

const INITIALIZE = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: {
    ...{ protocolVersion: "2025-06-18", capabilities: {} },
    clientInfo: { name: "test", version: "1.0.0" },
  },
};

describe("the MCP server over HTTP", () => {
  it.each<Generation>(["v2", "v2 auto", "v2 2026"])(
    "serves the official client, %s",
    async (generation) => {
      const { url } = await serve({ token: "s3cret" });
      const requestInit = { headers: { Authorization: "Bearer s3cret" } };
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
      const peer = await connectV2(transport, generation);
      onTestFinished(() => peer.close());
      await peer.callTool("store_knowledge", { text: "hello over HTTP", name: "a" });
      expect(textOf(await peer.callTool("get_knowledge_by_id", { artifact_id: "a" }))).toBe(
        "hello over HTTP",
      );
      expect(await peer.request("resources/list")).toMatchObject({ resources: [{ name: "a" }] });
    },
  );

  it("binds to loopback", async () => {
    const { url } = await serve({});
    expect(new URL(url).hostname).toBe("127.0.0.1");
    expect(await post(url, {})).toBe(200);
  });

  it("refuses other addresses without a token, and takes them with one", async () => {
    await expect(serve({ host: "0.0.0.0" })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      argument: "host",
    });
    await expect(serve({ host: "0.0.0.0", token: "" })).rejects.toMatchObject({
      argument: "token",
    });
    const { url } = await serve({ host: "0.0.0.0", token: "s3cret" });
    expect(await post(url, { authorization: "Bearer s3cret" })).toBe(200);
    expect(await post(url, {})).toBe(401);
  });

  it.each(["", "Bearer wrong", "Bearer s3cret2", "Bearer s3cre", "Basic s3cret"])(
    "refuses the authorization %j",
    async (authorization) => {
      const { url } = await serve({ token: "s3cret" });
      expect(await post(url, { authorization })).toBe(401);
    },
  );

  it("checks Origin and Host, also of a request with the token", async () => {
    const { url } = await serve({ token: "s3cret" });
    const authorization = "Bearer s3cret";
    expect(await post(url, { authorization, origin: "https://evil.example" })).toBe(403);
    expect(await post(url, { authorization, host: "evil.example" })).toBe(403);
    const { origin } = new URL(url);
    expect(await post(url, { authorization, origin })).toBe(200);
    expect(await post(url, { authorization, host: "localhost" })).toBe(200);
    expect(await post(`${origin}/other`, { authorization })).toBe(404);
  });
});

it("a server at an address is served behind the gateway", async () => {
  const port = await startEverything();
  const servers = { remote: { type: "http", url: `http://127.0.0.1:${port}/mcp` } };
  const gateway = await connectGateway({ servers });
  const { content } = await gateway.callTool("echo", { message: "hello" });
  expect(content).toEqual([{ type: "text", text: "Echo: hello" }]);
  const sampled = await gateway.callTool("trigger-sampling-request", { prompt: "x" });
  expect(textOf(sampled)).toContain("an answer of the model");
  const steps: unknown[] = [];
  await gateway.request(
    "tools/call",
    { name: "trigger-long-running-operation", arguments: { duration: 0.9, steps: 3 } },
    { onprogress: (step) => steps.push(step) },
  );
  // The official client drops the last step if it arrives together with the result.
  expect(steps[0]).toEqual({ progress: 1, total: 3 });
  const long = await gateway.callTool("echo", { message: "a long line\n".repeat(2_000) });
  expect(textOf(long)).toMatch(/^<knowledge_list>/);
});

it("a server that cannot be reached gives a clear error", async () => {
  const servers = { remote: { url: "http://127.0.0.1:9/mcp" } };
  await expect(connectGateway({ servers })).rejects.toThrow(/"remote" is not available/);
});

async function serve(options: Omit<ServeHttpOptions, "workspace">): Promise<{ url: string }> {
  const workspace = createWorkspace({ root: await tempFolder() });
  const handle = await serveHttp({ ...options, workspace });
  onTestFinished(() => handle.close());
  return handle;
}

/** The status of an `initialize` with these headers; `fetch` would not let them be set. */
function post(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const { port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: "127.0.0.1", port, path: pathname, method: "POST" },
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    sent.on("error", reject);
    sent.end(JSON.stringify(INITIALIZE satisfies Json));
  });
}

async function startEverything(): Promise<number> {
  const port = 20_000 + (process.pid % 20_000);
  const child = spawn(process.execPath, [EVERYTHING, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: "ignore",
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
  });
  await until(() =>
    fetch(`http://127.0.0.1:${port}/mcp`).then(
      () => true,
      () => false,
    ),
  );
  return port;
}
