import { setTimeout as sleep } from "node:timers/promises";
import type { Transport } from "@modelcontextprotocol/client";
import type { ServerConfig } from "./gateway-config.js";
import type { GatewayTimes } from "./gateway-times.js";
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
} from "./json-rpc.js";
import { OpenRequests } from "./open-requests.js";
import { openTransport, type OpenedTransport } from "./open-transport.js";
import { RestartPauses } from "./restart-pauses.js";
import { ServerUnavailableError } from "./server-unavailable-error.js";
import { SilenceWatch } from "./silence-watch.js";

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
