import { setTimeout as sleep } from "node:timers/promises";
import {
  type Transport,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { ServerConfig, GatewayTimes } from "./gateway-config.js";
import {
  asParams,
  isNotification,
  isRequest,
  notification,
  type Params,
  type RpcAnswer,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcId,
} from "./json-rpc.js";

/** What the gateway does with what a server says. */
export interface UpstreamEvents {
  onRequest(upstream: Upstream, request: RpcRequest): void;
  onNotification(upstream: Upstream, notification: RpcNotification): void;
  /** The server has answered `initialize`, for the first time or after a restart. */
  onReady(upstream: Upstream): void;
  onLost(upstream: Upstream, reason: string): void;
}

/** A request that was sent to a server. */
export interface SentRequest {
  readonly answer: Promise<RpcAnswer>;
  /** Tells the server that nobody waits for the answer any more. */
  readonly cancel: (params: Params) => void;
}

/** One server behind the gateway: started, watched, and restarted when it ends or hangs. */
export class Upstream {
  /** What the server answered to `initialize`, at its last start. */
  initialized: Params | undefined;
  #state: "idle" | "starting" | "ready" | "down" | "closed" = "idle";
  #opened: OpenedTransport | undefined;
  #hello: Params = {};
  #isClientReady = false;
  #isAnnounced = false;
  #lastFailure = "it has not been started yet";
  readonly #requests = new OpenRequests();
  readonly #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] =
    [];
  readonly #watch: SilenceWatch;
  readonly #pauses: RestartPauses;
  readonly #stop = new AbortController();

  constructor(
    readonly name: string,
    readonly config: ServerConfig,
    private readonly times: GatewayTimes,
    private readonly events: UpstreamEvents,
  ) {
    this.#pauses = new RestartPauses(times);
    this.#watch = new SilenceWatch(times, {
      ping: () => this.#ping(),
      onHang: (reason) => {
        this.#lose(reason);
      },
    });
  }

  get capabilities(): Params {
    return asParams(this.initialized?.["capabilities"]);
  }

  get isReady(): boolean {
    return this.#state === "ready";
  }

  /** Starts the server with the client's own `initialize`. Rejects if this first start fails. */
  start(hello: Params): Promise<void> {
    this.#hello = hello;
    const started = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
    void this.#connect();
    return started;
  }

  /** The client is initialized: servers may send requests from now on. */
  announceClient(): void {
    this.#isClientReady = true;
    if (!this.isReady || this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.send(notification("notifications/initialized"));
  }

  /** Resolves when the server is ready; rejects when it cannot be soon. */
  async whenReady(): Promise<void> {
    if (this.#state === "ready") return;
    const { patienceMs } = this.times;
    const isFar = this.#state === "down" && this.#pauses.msLeft > patienceMs;
    if (this.#state === "closed" || isFar) throw this.#unavailable();
    const timeout = new AbortController();
    try {
      await Promise.race([
        new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject })),
        sleep(patienceMs, undefined, { signal: timeout.signal }).then(() => {
          throw this.#unavailable();
        }),
      ]);
    } finally {
      timeout.abort();
    }
  }

  /** Sends a request. The answer is the server's own; it rejects only if the server is lost. */
  request(method: string, params: Params | undefined): SentRequest {
    const { id, answer } = this.#requests.add();
    this.#sendRequest({ jsonrpc: "2.0", id, method, ...(params ? { params } : {}) });
    if (this.isReady) this.#watch.restart();
    return {
      answer,
      cancel: (reason) => {
        // The server does not answer a cancelled request, which must not look like silence.
        if (!this.#requests.drop(id)) return;
        this.send(notification("notifications/cancelled", { ...reason, requestId: id }));
      },
    };
  }

  /** A request of the gateway's own that a healthy server answers quickly; a server that does not is restarted. */
  async requestSoon(method: string, params: Params | undefined): Promise<Params> {
    const answered = await this.#within(this.times.listMs, method, params);
    if ("result" in answered) return answered.result;
    throw new Error(answered.error.message);
  }

  /** Sends a message that has no answer. */
  send(message: RpcMessage): void {
    const { transport } = this.#opened ?? {};
    transport?.send(message).catch((error: unknown) => {
      this.#note(messageOf(error));
    });
  }

  async close(): Promise<void> {
    this.#state = "closed";
    this.#stop.abort();
    this.#watch.stop();
    this.#requests.failAll(this.#unavailable("the gateway was closed"));
    const stopping = this.#opened?.stop();
    this.#opened = undefined;
    await stopping;
  }

  async #connect(): Promise<void> {
    this.#state = "starting";
    this.#isAnnounced = false;
    const opened = openTransport(this.config);
    this.#opened = opened;
    const { transport } = opened;
    transport.onmessage = (message) => {
      if (this.#opened === opened) this.#receive(message as RpcMessage);
    };
    transport.onerror = (error) => {
      this.#note(error.message);
    };
    transport.onclose = () => {
      if (this.#opened === opened) this.#lose(explainEnd(opened));
    };
    try {
      await transport.start();
      const answer = await this.#initialize();
      if (this.#opened === opened) this.#becomeReady(transport, answer);
    } catch (error) {
      if (this.#opened !== opened) return;
      this.#lose(messageOf(error));
    }
  }

  async #initialize(): Promise<Params> {
    const answered = await this.#within(this.times.startMs, "initialize", this.#hello);
    if ("result" in answered) return answered.result;
    throw new Error(`it refused to initialize: ${answered.error.message}`);
  }

  async #within(ms: number, method: string, params: Params | undefined): Promise<RpcAnswer> {
    const timeout = new AbortController();
    const { answer } = this.request(method, params);
    const late = sleep(ms, undefined, { signal: timeout.signal }).then(() => {
      const words = this.#opened?.lastWords();
      this.#lose(
        `it did not answer ${method} within ${ms} ms${words ? `. Its last output: ${words}` : ""}`,
      );
      throw this.#unavailable();
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      timeout.abort();
    }
  }

  #becomeReady(transport: Transport, initialized: Params): void {
    this.initialized = initialized;
    const { protocolVersion } = initialized;
    if (typeof protocolVersion === "string") transport.setProtocolVersion?.(protocolVersion);
    this.#state = "ready";
    this.#pauses.end();
    if (this.#isClientReady) this.announceClient();
    for (const { resolve } of this.#waiting.splice(0)) resolve();
    this.events.onReady(this);
  }

  #receive(message: RpcMessage): void {
    if (this.isReady && this.#requests.size > 0) this.#watch.restart();
    if (isRequest(message)) {
      if (message.method === "ping") this.send({ jsonrpc: "2.0", id: message.id, result: {} });
      else this.events.onRequest(this, message);
    } else if (isNotification(message)) {
      this.events.onNotification(this, message);
    } else {
      this.#requests.answer(message.id, message);
      if (this.#requests.size === 0) this.#watch.stop();
    }
  }

  #sendRequest(request: RpcRequest): void {
    this.#opened?.transport.send(request).catch((error: unknown) => {
      this.#requests.fail(request.id, this.#unavailable(messageOf(error)));
      // The session of an HTTP server is gone, such as after its restart.
      if (asParams(asParams(error)["data"])["status"] === 404) this.#lose("its session has ended");
    });
  }

  #ping(): boolean {
    if (this.#requests.size === 0) return false;
    const { id, answer } = this.#requests.add();
    answer.catch(() => undefined);
    this.send({ jsonrpc: "2.0", id, method: "ping" });
    return true;
  }

  #lose(reason: string): void {
    if (this.#state === "closed" || this.#state === "down") return;
    const opened = this.#opened;
    this.#opened = undefined;
    this.#state = "down";
    this.#lastFailure = reason;
    this.#watch.stop();
    void opened?.stop();
    const pause = this.#pauses.begin();
    this.#requests.failAll(this.#unavailable(reason));
    for (const { reject } of this.#waiting.splice(0)) reject(this.#unavailable());
    this.#note(`${reason}; it is started again in ${pause} ms`);
    this.events.onLost(this, reason);
    sleep(pause, undefined, { signal: this.#stop.signal, ref: true }).then(
      () => this.#connect(),
      () => undefined,
    );
  }

  #unavailable(reason = this.#lastFailure): ServerUnavailableError {
    return new ServerUnavailableError(this.name, reason, this.#state !== "closed");
  }

  #note(text: string): void {
    if (this.#state === "closed") return;
    process.stderr.write(`[context-offload gateway] ${this.name}: ${text}\n`);
  }
}

function explainEnd({ lastWords }: OpenedTransport): string {
  const words = lastWords();
  return words === "" ? "it ended" : `it ended. Its last output: ${words}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Waiting {
  readonly resolve: (answer: RpcAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** The requests that a server has not answered yet. */
export class OpenRequests {
  #nextId = 1;
  readonly #waiting = new Map<RpcId, Waiting>();

  get size(): number {
    return this.#waiting.size;
  }

  add(): { readonly id: RpcId; readonly answer: Promise<RpcAnswer> } {
    const id = this.#nextId++;
    const answer = new Promise<RpcAnswer>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    return { id, answer };
  }

  answer(id: RpcId, answer: RpcAnswer): void {
    this.#take(id)?.resolve(answer);
  }

  fail(id: RpcId, error: Error): void {
    this.#take(id)?.reject(error);
  }

  /** Forgets a request that nobody waits for any more; whether it was still open. */
  drop(id: RpcId): boolean {
    return this.#waiting.delete(id);
  }

  failAll(error: Error): void {
    const open = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of open) reject(error);
  }

  #take(id: RpcId): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

/** The longest message that a server may send: above the 10 MB of the SDK, since large answers are the point. */
export const MAX_MESSAGE_BYTES = 67_108_864;

/** A connection to a server, not yet started. */
export interface OpenedTransport {
  readonly transport: Transport;
  /** What the server wrote to its standard error last, to explain why it ended. */
  readonly lastWords: () => string;
  /** Ends the connection, and the server's process if it was started for it. Never rejects. */
  readonly stop: () => Promise<void>;
}

export function openTransport(server: ServerConfig): OpenedTransport {
  if ("url" in server) {
    const options = { requestInit: { headers: { ...server.headers } } };
    const url = new URL(server.url);
    const transport =
      server.type === "sse"
        ? // eslint-disable-next-line @typescript-eslint/no-deprecated -- Servers of 2024 speak nothing else.
          new SSEClientTransport(url, options)
        : new StreamableHTTPClientTransport(url, options);
    return { transport, lastWords: () => "", stop: () => transport.close().catch(() => undefined) };
  }
  const transport = new StdioClientTransport({
    command: server.command,
    args: [...(server.args ?? [])],
    env: { ...(process.env as Record<string, string>), ...server.env },
    ...(server.cwd === undefined ? {} : { cwd: server.cwd }),
    stderr: "pipe",
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  let words = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    process.stderr.write(chunk);
    words = (words + chunk.toString("utf8")).slice(-LAST_WORDS_CHARS);
  });
  return { transport, lastWords: () => words.trim(), stop: () => stopProcess(transport) };
}

const LAST_WORDS_CHARS = 400;
/** A client that ends waits 2 s for the gateway, which must have ended its servers by then. */
const PATIENCE_MS = { SIGTERM: 800, SIGKILL: 1_300 } as const;

/** The end of its input asks a server to end; one that does not is made to. */
async function stopProcess(transport: StdioClientTransport): Promise<void> {
  const { pid } = transport;
  const timers = Object.entries(PATIENCE_MS).map(([signal, ms]) =>
    setTimeout(() => {
      if (pid !== null) endProcess(pid, signal as keyof typeof PATIENCE_MS);
    }, ms),
  );
  await transport.close().catch(() => undefined);
  for (const timer of timers) clearTimeout(timer);
}

function endProcess(pid: number, signal: keyof typeof PATIENCE_MS): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

interface SilenceEvents {
  /** Asks the server whether it is there; `false` if nobody waits for it, so that it may be silent. */
  ping(): boolean;
  onHang(reason: string): void;
}

/** Notices that a server with open requests says nothing, and does not answer a ping either. */
export class SilenceWatch {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly times: Pick<GatewayTimes, "silenceMs" | "pingMs">,
    private readonly events: SilenceEvents,
  ) {}

  /** Begins to count from now. */
  restart(): void {
    const { silenceMs, pingMs } = this.times;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (!this.events.ping()) return;
      this.#timer = setTimeout(() => {
        const seconds = Math.round((silenceMs + pingMs) / 1_000);
        this.events.onHang(`it has said nothing for ${seconds} s and does not answer a ping`);
      }, pingMs);
    }, silenceMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** How long to wait before a server is started again: twice as long each time, until it has run for a while. */
export class RestartPauses {
  #restarts = 0;
  #restartAt = 0;
  #steady: NodeJS.Timeout | undefined;

  constructor(private readonly times: Pick<GatewayTimes, "firstRestartMs" | "lastRestartMs">) {}

  /** How long it is until the restart. */
  get msLeft(): number {
    return this.#restartAt - Date.now();
  }

  /** The pause before the next restart, in milliseconds. */
  begin(): number {
    clearTimeout(this.#steady);
    const { firstRestartMs, lastRestartMs } = this.times;
    const pause = Math.min(firstRestartMs * 2 ** this.#restarts++, lastRestartMs);
    this.#restartAt = Date.now() + pause;
    return pause;
  }

  /** The server is ready. One that ends right after each start must not be restarted without a pause. */
  end(): void {
    this.#steady = setTimeout(() => {
      this.#restarts = 0;
    }, this.times.lastRestartMs).unref();
  }
}

/** The server did not answer: it could not be started, ended, or hangs. */
export class ServerUnavailableError extends Error {
  override readonly name = "ServerUnavailableError";

  constructor(server: string, reason: string, isRestarted: boolean) {
    const next = isRestarted
      ? " The gateway restarts it automatically; other servers are not affected. Try the call again in a moment."
      : "";
    super(`The MCP server "${server}" is not available: ${reason.replace(/\.$/, "")}.${next}`);
  }
}
