import { setTimeout as sleep } from "node:timers/promises";
import type { Transport } from "@modelcontextprotocol/client";
import type { ServerConfig } from "./gateway-config.js";
import {
  asParams,
  isNotification,
  isRequest,
  notification,
  type Params,
  type RpcAnswer,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from "./json-rpc.js";
import { openTransport, type OpenedTransport } from "./open-transport.js";

/** How long to wait for servers, in milliseconds. */
export interface GatewayTimes {
  /** A server that has not answered `initialize` by then is stopped and started again. */
  readonly startMs: number;
  /** A server that has not answered with a list by then is stopped and started again. */
  readonly listMs: number;
  /** How long a request of the client waits for a server that is being started. */
  readonly patienceMs: number;
  /** A server with open requests that says nothing for so long is asked whether it is there … */
  readonly silenceMs: number;
  /** … and is stopped and started again if it does not answer that either. */
  readonly pingMs: number;
  /** The first pause before a restart; it doubles each time, up to the last one. */
  readonly firstRestartMs: number;
  readonly lastRestartMs: number;
}

/** What the gateway does with what a server says. */
export interface UpstreamEvents {
  onRequest(upstream: Upstream, request: RpcRequest): void;
  onNotification(upstream: Upstream, notification: RpcNotification): void;
  /** The server has answered `initialize`, for the first time or after a restart. */
  onReady(upstream: Upstream): void;
  onLost(upstream: Upstream, reason: string): void;
}

/** The server did not answer: it could not be started, ended, or hangs. */
export class ServerUnavailableError extends Error {
  override readonly name = "ServerUnavailableError";
}

interface Pending {
  readonly resolve: (answer: RpcAnswer) => void;
  readonly reject: (error: Error) => void;
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
  #restartAt = 0;
  #readyAt = 0;
  #restarts = 0;
  #nextId = 1;
  readonly #pending = new Map<RpcId, Pending>();
  readonly #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] =
    [];
  #watch: NodeJS.Timeout | undefined;
  readonly #stop = new AbortController();

  constructor(
    readonly name: string,
    readonly config: ServerConfig,
    private readonly times: GatewayTimes,
    private readonly events: UpstreamEvents,
  ) {}

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
    const wait = this.#restartAt - Date.now();
    if (this.#state === "closed" || (this.#state === "down" && wait > this.times.patienceMs)) {
      throw this.#unavailable();
    }
    const timeout = new AbortController();
    try {
      await Promise.race([
        new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject })),
        sleep(this.times.patienceMs, undefined, { signal: timeout.signal }).then(() => {
          throw this.#unavailable();
        }),
      ]);
    } finally {
      timeout.abort();
    }
  }

  /** Sends a request. The answer is the server's own; it rejects only if the server is lost. */
  request(method: string, params: Params | undefined): SentRequest {
    const id = this.#nextId++;
    const answer = new Promise<RpcAnswer>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    });
    this.#sendRequest({ jsonrpc: "2.0", id, method, ...(params ? { params } : {}) });
    if (this.isReady) this.#keepWatch();
    return {
      answer,
      cancel: (reason) => {
        // The server does not answer a cancelled request, which must not look like silence.
        if (!this.#pending.delete(id)) return;
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
    clearTimeout(this.#watch);
    this.#failPending("the gateway was closed");
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
    const since = performance.now();
    this.#readyAt = since;
    // A server that ends right after each start must not be restarted without a pause.
    setTimeout(() => {
      if (this.isReady && this.#readyAt === since) this.#restarts = 0;
    }, this.times.lastRestartMs).unref();
    if (this.#isClientReady) this.announceClient();
    for (const { resolve } of this.#waiting.splice(0)) resolve();
    this.events.onReady(this);
  }

  #receive(message: RpcMessage): void {
    if (this.isReady && this.#pending.size > 0) this.#keepWatch();
    if (isRequest(message)) {
      if (message.method === "ping") this.send({ jsonrpc: "2.0", id: message.id, result: {} });
      else this.events.onRequest(this, message);
    } else if (isNotification(message)) {
      this.events.onNotification(this, message);
    } else {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (this.#pending.size === 0) clearTimeout(this.#watch);
      pending?.resolve(message);
    }
  }

  #sendRequest(request: RpcRequest): void {
    this.#opened?.transport.send(request).catch((error: unknown) => {
      const pending = this.#pending.get(request.id);
      this.#pending.delete(request.id);
      pending?.reject(this.#unavailable(messageOf(error)));
      // The session of an HTTP server is gone, such as after its restart.
      if (asParams(asParams(error)["data"])["status"] === 404) this.#lose("its session has ended");
    });
  }

  /** Restarts the clock of the silence after which a server with open requests counts as hanging. */
  #keepWatch(): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => {
      if (this.#pending.size === 0) return;
      const id = `ping-${this.#nextId++}`;
      this.#pending.set(id, { resolve: () => undefined, reject: () => undefined });
      this.send({ jsonrpc: "2.0", id, method: "ping" });
      this.#watch = setTimeout(() => {
        const seconds = Math.round((this.times.silenceMs + this.times.pingMs) / 1_000);
        this.#lose(`it has said nothing for ${seconds} s and does not answer a ping`);
      }, this.times.pingMs);
    }, this.times.silenceMs);
  }

  #lose(reason: string): void {
    if (this.#state === "closed" || this.#state === "down") return;
    const opened = this.#opened;
    this.#opened = undefined;
    this.#state = "down";
    this.#lastFailure = reason;
    clearTimeout(this.#watch);
    void opened?.stop();
    const { firstRestartMs, lastRestartMs } = this.times;
    const pause = Math.min(firstRestartMs * 2 ** this.#restarts++, lastRestartMs);
    this.#restartAt = Date.now() + pause;
    this.#failPending(reason);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#unavailable());
    this.#note(`${reason}; it is started again in ${pause} ms`);
    this.events.onLost(this, reason);
    sleep(pause, undefined, { signal: this.#stop.signal, ref: true }).then(
      () => this.#connect(),
      () => undefined,
    );
  }

  #failPending(reason: string): void {
    const open = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of open) reject(this.#unavailable(reason));
  }

  #unavailable(reason = this.#lastFailure): ServerUnavailableError {
    const next =
      this.#state === "closed"
        ? ""
        : " The gateway starts it again by itself; other servers are not affected. Try the call again in a moment.";
    return new ServerUnavailableError(
      `The MCP server "${this.name}" is not available: ${reason.replace(/\.$/, "")}.${next}`,
    );
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
