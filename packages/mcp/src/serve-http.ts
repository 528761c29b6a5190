import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { InvalidArgumentError } from "context-offload/errors";
import { createMcpServer, type McpServerOptions } from "./create-mcp-server.js";

/** Where an MCP server listens, and who may use it. */
export interface ServeHttpOptions extends McpServerOptions {
  /** The address to listen on. Default `"127.0.0.1"`; any address but loopback needs a token. */
  readonly host?: string | undefined;
  /** Default: one that is free. */
  readonly port?: number | undefined;
  /** Clients must send it as `Authorization: Bearer …`. Default: none. */
  readonly token?: string | undefined;
  /** Names that clients may reach the server by, besides loopback and `host`. */
  readonly allowedHosts?: readonly string[] | undefined;
}

export interface HttpServerHandle {
  readonly url: string;
  close(): Promise<void>;
}

const PATH = "/mcp";

/** Serves a workspace by streamable HTTP, at `/mcp`. */
export async function serveHttp(options: ServeHttpOptions): Promise<HttpServerHandle> {
  const { host = "127.0.0.1", port = 0, token, allowedHosts = [] } = options;
  if (token === "") throw new InvalidArgumentError("token", token, "a non-empty string");
  if (token === undefined && !isLoopback(host)) {
    const expected = "a loopback address such as 127.0.0.1 when there is no token";
    throw new InvalidArgumentError("host", host, expected);
  }
  const handler = createMcpHandler(() => createMcpServer(options));
  const hosts = [...localhostAllowedHostnames(), bracketed(host), ...allowedHosts];
  const origins = [...localhostAllowedOrigins(), bracketed(host), ...allowedHosts];
  const answer = (request: Request): Response | Promise<Response> =>
    hostHeaderValidationResponse(request, hosts) ??
    originValidationResponse(request, origins) ??
    rejectWithoutToken(request, token) ??
    (new URL(request.url).pathname === PATH
      ? handler.fetch(request)
      : new Response("Not found: the server is at /mcp.", { status: 404 }));
  const server = createServer((incoming, outgoing) => {
    serveRequest(incoming, outgoing, answer).catch(() => {
      outgoing.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${bracketed(host)}:${bound}${PATH}`,
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Both sides are hashed first, so that the comparison takes the same time for every guess. */
function rejectWithoutToken(request: Request, token: string | undefined): Response | undefined {
  if (token === undefined) return undefined;
  const given = /^Bearer +(.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  if (timingSafeEqual(hashOf(given), hashOf(token))) return undefined;
  return new Response("Unauthorized: send the token as a bearer token.", {
    status: 401,
    headers: { "www-authenticate": "Bearer" },
  });
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

async function serveRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Response | Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => {
    gone.abort();
  });
  const response = await answer(requestOf(incoming, gone.signal));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as never), outgoing);
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", headers, url = "/" } = incoming;
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(", ") : (value ?? ""),
  ]);
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, "http://localhost"), {
    ...{ method, signal, headers: pairs },
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" } : {}),
  });
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
