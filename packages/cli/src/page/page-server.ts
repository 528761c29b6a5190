import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { explainError } from "../command-error.js";
import type { PageData } from "./page-data.js";
import { readPageFiles, renderPage } from "./page-file.js";

export interface PageServer {
  /** With the token in it. */
  readonly url: string;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const POLL_MS = 1_000;
/** Looking for changes takes at most this share of the time. */
const POLL_SHARE = 0.05;

/** Nothing but what this server gives is run, loaded or asked for, and no text is ever parsed as HTML. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const HEADERS = {
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

type Query = (name: string) => string | undefined;

/** Serves the page to whoever has its address, on this computer alone. */
export async function servePage(
  data: PageData,
  { port = 0, signal }: { readonly port?: number | undefined; readonly signal: AbortSignal },
): Promise<PageServer> {
  const files = await readPageFiles();
  // In the path, so that addresses relative to the page carry it.
  const token = randomBytes(32).toString("base64url");
  const watchers = new Watchers(data, signal);

  const answers: Readonly<Record<string, (query: Query) => Promise<unknown>>> = {
    overview: () => data.overview(),
    results: () => data.results(),
    detail: (query) => data.detail(required(query, "session"), required(query, "id")),
    strip: (query) => data.strip(required(query, "session")),
    check: (query) => data.check(required(query, "session"), required(query, "id")),
    lines: (query) =>
      data.lines(
        ...([required(query, "session"), required(query, "id")] as const),
        ...([count(query, "from"), count(query, "count")] as const),
      ),
    chars: (query) =>
      data.chars(
        ...([required(query, "session"), required(query, "id")] as const),
        ...([count(query, "line"), count(query, "from")] as const),
      ),
    search: (query) =>
      data.search(required(query, "pattern"), {
        ...{ sessionId: query("session"), cursor: query("cursor") },
        ...{ literal: query("literal") === "1", ignoreCase: query("ignore-case") === "1" },
      }),
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", `http://${HOST}`);
    const [, given = "", ...rest] = url.pathname.split("/");
    if (!isFromHere(request, port_()) || !isSame(given, token)) {
      send(response, 403, "text/plain", "Open the address that context-offload page printed.\n");
      return;
    }
    if (request.method !== "GET") {
      send(response, 405, "text/plain", "Only GET.\n");
      return;
    }
    const path = rest.join("/");
    const query: Query = (name) => url.searchParams.get(name) ?? undefined;
    const find = path.startsWith("data/") ? path.slice("data/".length) : undefined;
    if (path === "") send(response, 200, "text/html", renderPage());
    else if (path === "page.js") send(response, 200, "text/javascript", files.script);
    else if (path === "page.css") send(response, 200, "text/css", files.style);
    else if (path === "events") watchers.add(request, response);
    else if (find !== undefined && Object.hasOwn(answers, find)) {
      const found = await answers[find]?.(query);
      send(response, 200, "application/json", JSON.stringify(found));
    } else send(response, 404, "text/plain", "There is no such page.\n");
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else
        send(
          response,
          400,
          "application/json",
          JSON.stringify({ error: explainError(error).text }),
        );
    });
  });
  const port_ = (): number => (server.address() as AddressInfo).port;
  server.listen(port, HOST);
  await once(server, "listening");
  return {
    url: `http://${HOST}:${port_()}/${token}/`,
    async close() {
      watchers.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page elsewhere may ask under a name of its own that leads to this computer: then `Host` tells. */
function isFromHere({ headers }: IncomingMessage, port: number): boolean {
  const hosts = [`${HOST}:${port}`, `localhost:${port}`];
  const { host, origin, "sec-fetch-site": site } = headers;
  if (host === undefined || !hosts.includes(host)) return false;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  return site === undefined || site === "same-origin" || site === "none";
}

function isSame(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...HEADERS, "Content-Type": `${type}; charset=utf-8` }).end(body);
}

function required(query: Query, name: string): string {
  const value = query(name);
  if (value === undefined || value === "") throw new TypeError(`${name} is missing`);
  return value;
}

function count(query: Query, name: string): number {
  const value = required(query, name);
  if (/^\d{1,15}$/.test(value) && Number(value) > 0) return Number(value);
  throw new TypeError(`${name} is not a number of 1 or more`);
}

/** Tells open pages when something has changed; looks for changes only while there are any. */
class Watchers {
  readonly #data: PageData;
  readonly #open = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;
  #mark: string | undefined;

  constructor(data: PageData, signal: AbortSignal) {
    this.#data = data;
    signal.addEventListener("abort", () => {
      this.close();
    });
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream; charset=utf-8" });
    response.write(": open\n\n");
    this.#open.add(response);
    request.on("close", () => {
      this.#open.delete(response);
      if (this.#open.size === 0) this.#stop();
    });
    if (this.#timer === undefined) this.#next(0);
  }

  close(): void {
    this.#stop();
    for (const response of this.#open) response.end();
    this.#open.clear();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #next(delayMs: number): void {
    this.#timer = setTimeout(() => void this.#look(), delayMs).unref();
  }

  async #look(): Promise<void> {
    const began = performance.now();
    // A store that is down may be there again the next time.
    const mark = await this.#data.mark().catch(() => this.#mark);
    if (this.#open.size === 0) return;
    // The first mark may already be newer than what the page has read.
    if (mark !== this.#mark)
      for (const response of this.#open) response.write("event: change\ndata: 1\n\n");
    this.#mark = mark;
    this.#next(Math.max(POLL_MS, (performance.now() - began) / POLL_SHARE));
  }
}
