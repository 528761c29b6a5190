import { setTimeout as sleep } from "node:timers/promises";
import { SERVER_INFO_META_KEY } from "@modelcontextprotocol/client";
import { openConnection, type Connection } from "./connections.js";
import type { ServerConfig, GatewayLimits } from "./gateway-config.js";
import {
  asList,
  asParams,
  type FailureCode,
  isNotification,
  isRequest,
  notification,
  readMessages,
  rejectRequest,
  respond,
  type Params,
  type RpcAnswer,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcId,
} from "./json-rpc.js";

import {
  envelopeOf,
  type Envelope,
  type Era,
  STATELESS_VERSION,
  withEnvelope,
  withoutEnvelope,
} from "./stateless.js";

/** What the gateway does with what a server says. */
export interface UpstreamEvents {
  onRequest(upstream: Upstream, request: RpcRequest): void;
  onNotification(upstream: Upstream, notification: RpcNotification): void;
  /** The server has said what it has, for the first time or after a restart. */
  onReady(upstream: Upstream): void;
  onLost(upstream: Upstream, reason: string): void;
}

/** A request that was sent to a server. */
export interface SentRequest {
  readonly answer: Promise<RpcAnswer>;
  /** Tells the server that nobody waits for the answer any more. */
  readonly cancel: (params?: Params) => void;
}

/** How a client opened the gateway. */
export interface Opening {
  /** Its `initialize`, or what stands for it. */
  readonly hello: Params;
  readonly era: Era;
}

/** One server behind the gateway: started, watched, and restarted when it ends or hangs. */
export class Upstream {
  /** What the server answered to `initialize` or `server/discover`, at its last start. */
  initialized: Params | undefined;
  /** How the server is spoken to. */
  era: Era = "handshake";
  #state: "idle" | "starting" | "ready" | "down" | "closed" = "idle";
  #opened: Connection | undefined;
  #hello: Params = {};
  #envelope: Envelope = envelopeOf({});
  /** How to speak to it at its next start. */
  #firstEra: Era = "handshake";
  #logLevel: string | undefined;
  #listening: { readonly cancel: () => void } | undefined;
  /** Requests that stay open, so that silence says nothing: subscriptions. */
  readonly #longRequests = new Set<RpcId>();
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
    private readonly limits: GatewayLimits,
    private readonly events: UpstreamEvents,
  ) {
    this.#pauses = new RestartPauses(limits);
    this.#watch = new SilenceWatch(limits, {
      ping: () => this.#ping(),
      onHang: (reason) => {
        this.#lose(reason);
      },
    });
  }

  get capabilities(): Params {
    return asParams(this.initialized?.["capabilities"]);
  }

  /** What the server says of itself. */
  get serverInfo(): Params {
    const { serverInfo, _meta } = this.initialized ?? {};
    return asParams(serverInfo ?? asParams(_meta)[SERVER_INFO_META_KEY]);
  }

  /** Whether requests say in headers what is in them. */
  get hasHeaders(): boolean {
    return this.era === "stateless" && "url" in this.config;
  }

  get isReady(): boolean {
    return this.#state === "ready";
  }

  /** Starts the server as the client opened the gateway. Rejects if this first start fails. */
  start({ hello, era }: Opening): Promise<void> {
    // A client that initializes again gets what there is.
    if (this.#state !== "idle") return this.whenReady();
    this.#hello = hello;
    this.#envelope = envelopeOf(hello);
    // Servers of 2024 know nothing of the newer revision.
    if (!("type" in this.config && this.config.type === "sse")) this.#firstEra = era;
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
    if (this.era === "handshake") this.send(notification("notifications/initialized"));
  }

  /** Resolves when the server is ready; rejects when it cannot be soon. */
  async whenReady(): Promise<void> {
    if (this.#state === "ready") return;
    const { patienceMs } = this.limits;
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
  request(
    method: string,
    params: Params | undefined,
    headers?: Readonly<Record<string, string>>,
  ): SentRequest {
    const sent =
      this.era === "stateless"
        ? withEnvelope(params, { ...this.#envelope, logLevel: this.#logLevel })
        : withoutEnvelope(params);
    const { id, answer } = this.#requests.add();
    this.#sendRequest({ jsonrpc: "2.0", id, method, ...(sent ? { params: sent } : {}) }, headers);
    if (this.isReady) this.#watch.restart();
    return {
      answer,
      cancel: (reason) => {
        // The server does not answer a cancelled request, which must not look like silence.
        if (!this.#requests.drop(id)) return;
        this.#longRequests.delete(id);
        if (!this.#isAwaited) this.#watch.stop();
        this.send(notification("notifications/cancelled", { ...reason, requestId: id }));
      },
    };
  }

  /** Asks a stateless server for notices; each call replaces what was asked before. */
  listen(notifications: Params): void {
    this.#listening?.cancel();
    const { answer, cancel } = this.request("subscriptions/listen", { notifications });
    const id = this.#requests.lastId;
    this.#longRequests.add(id);
    if (!this.#isAwaited) this.#watch.stop();
    const listening = { cancel };
    this.#listening = listening;
    const again = (): void => {
      this.#longRequests.delete(id);
      if (this.#listening !== listening) return;
      this.#listening = undefined;
      // What changed meanwhile is not known.
      sleep(this.limits.lastRestartMs, undefined, { signal: this.#stop.signal, ref: false }).then(
        () => {
          if (this.isReady && !this.#listening) this.events.onReady(this);
        },
        () => undefined,
      );
    };
    answer.then((answered) => {
      // A server without subscriptions has none after a while either.
      if ("result" in answered) again();
    }, again);
  }

  /** From which level on a server that has a single one for its connection sends log messages. */
  setLogLevel(level: string): void {
    if (this.#logLevel === level) return;
    this.#logLevel = level;
    if (this.era === "stateless" || !this.capabilities["logging"]) return;
    void this.requestSoon("logging/setLevel", { level }).catch(() => undefined);
  }

  get #isAwaited(): boolean {
    return this.#requests.size > this.#longRequests.size;
  }

  /** A request of the gateway's own; `undefined` if it is not answered in time. */
  async requestWithin(
    ms: number,
    method: string,
    params: Params | undefined,
  ): Promise<Params | undefined> {
    const { answer, cancel } = this.request(method, params);
    const answered = await within(ms, answer);
    if (answered === undefined) cancel({ reason: `no answer within ${ms} ms` });
    else if ("error" in answered) throw new Error(answered.error.message);
    return answered?.result;
  }

  /** A request of the gateway's own that a healthy server answers quickly; a server that does not is restarted. */
  async requestSoon(method: string, params: Params | undefined): Promise<Params> {
    const { listMs } = this.limits;
    const result = await this.requestWithin(listMs, method, params);
    if (result) return result;
    this.#lose(this.#notAnswered(method, listMs));
    throw this.#unavailable();
  }

  /** Sends a message that has no answer. */
  send(message: RpcMessage): void {
    this.#opened?.send(message).catch((error: unknown) => {
      this.note(messageOf(error));
    });
  }

  /** For people. */
  note(text: string): void {
    if (this.#state === "closed") return;
    process.stderr.write(`[context-offload gateway] ${this.name}: ${text}\n`);
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
    // A new connection has no level yet.
    if (this.era === "handshake") this.#logLevel = undefined;
    const { maxMessageBytes, startMs } = this.limits;
    const isCurrent = (): boolean => this.#opened === opened;
    const opened: Connection = openConnection(this.config, maxMessageBytes, {
      onMessage: (value) => {
        if (isCurrent()) this.#receive(value);
      },
      onEnd: (reason, failure) => {
        if (isCurrent()) this.#lose(reason, failure);
      },
      onNote: (text) => {
        this.note(text);
      },
    });
    this.#opened = opened;
    try {
      const answer = await within(startMs, this.#open(opened));
      if (!isCurrent()) return;
      if (answer) this.#becomeReady(opened, answer);
      else this.#lose(this.#notAnswered("initialize", startMs));
    } catch (error) {
      if (isCurrent()) this.#lose(messageOf(error));
    }
  }

  /** What the server has. A server may know one of the revisions only: the one that the client speaks is tried first. */
  async #open(opened: Connection): Promise<Params> {
    this.era = "handshake";
    await opened.start();
    const isStateless = this.#firstEra === "stateless";
    // A server that ends when it is asked what it does not know is not asked again.
    this.#firstEra = "handshake";
    const probe = isStateless ? this.#discover() : undefined;
    const found = probe && (await within(this.limits.probeMs, probe));
    if (found) return this.#speak("stateless", found);
    // The opening of a server that has not answered yet is decided by what it is told last.
    const { answer } = this.request("initialize", this.#hello);
    const answered = await answer.catch((error: unknown) => ({ failure: error }));
    if ("result" in answered) return this.#speak("handshake", answered.result);
    // Over HTTP, a refusal is an error of the transport.
    const late = await (probe ?? this.#discover());
    if (late) return this.#speak("stateless", late);
    if ("failure" in answered) throw answered.failure;
    throw new Error(`it refused to initialize: ${answered.error.message}`);
  }

  #speak(era: Era, initialized: Params): Params {
    this.era = this.#firstEra = era;
    return initialized;
  }

  /** What a stateless server has; `undefined` for any other. */
  async #discover(): Promise<Params | undefined> {
    const { id, answer } = this.#requests.add();
    const params = withEnvelope(undefined, this.#envelope);
    this.#sendRequest({ jsonrpc: "2.0", id, method: "server/discover", params });
    const answered = await answer.catch(() => undefined);
    if (!answered || "error" in answered) return undefined;
    const { supportedVersions } = answered.result;
    return asList(supportedVersions).includes(STATELESS_VERSION) ? answered.result : undefined;
  }

  #notAnswered(method: string, ms: number): string {
    const words = this.#opened?.lastWords();
    return `it did not answer ${method} within ${ms} ms${words ? `. Its last output: ${words}` : ""}`;
  }

  #becomeReady(opened: Connection, initialized: Params): void {
    this.initialized = initialized;
    const { protocolVersion } = initialized;
    const isTold = this.era === "handshake" && typeof protocolVersion === "string";
    if (isTold) opened.setProtocolVersion(protocolVersion);
    this.#state = "ready";
    this.#pauses.end();
    if (this.#isClientReady) this.announceClient();
    for (const { resolve } of this.#waiting.splice(0)) resolve();
    this.events.onReady(this);
  }

  #receive(value: unknown): void {
    if (this.isReady && this.#isAwaited) this.#watch.restart();
    for (const message of readMessages(value)) {
      if ("malformedId" in message) this.send(rejectRequest(message));
      else if (isRequest(message)) {
        if (message.method === "ping") this.send(respond(message.id, { result: {} }));
        else this.events.onRequest(this, message);
      } else if (isNotification(message)) {
        this.events.onNotification(this, message);
      } else {
        this.#requests.answer(message.id, message);
        if (!this.#isAwaited) this.#watch.stop();
      }
    }
  }

  #sendRequest(request: RpcRequest, headers?: Readonly<Record<string, string>>): void {
    if (!this.#opened) this.#requests.fail(request.id, this.#unavailable());
    this.#opened?.send(request, headers).catch((error: unknown) => {
      this.#requests.fail(request.id, this.#unavailable(messageOf(error)));
      // The session of an HTTP server is gone, such as after its restart.
      const isGone = asParams(asParams(error)["data"])["status"] === 404;
      if (isGone && this.isReady && this.era === "handshake") this.#lose("its session has ended");
    });
  }

  #ping(): boolean {
    if (!this.#isAwaited) return false;
    const isStateless = this.era === "stateless";
    const params = isStateless ? withEnvelope(undefined, this.#envelope) : undefined;
    const { id, answer } = this.#requests.add();
    answer.catch(() => undefined);
    // The stateless revision has no ping.
    const method = isStateless ? "server/discover" : "ping";
    this.send({ jsonrpc: "2.0", id, method, ...(params ? { params } : {}) });
    return true;
  }

  #lose(reason: string, failure?: FailureCode): void {
    if (this.#state === "closed" || this.#state === "down") return;
    const opened = this.#opened;
    this.#opened = undefined;
    this.#state = "down";
    this.#lastFailure = reason;
    this.#watch.stop();
    void opened?.stop();
    const pause = this.#pauses.begin();
    this.#listening = undefined;
    this.#requests.failAll(this.#unavailable(reason, failure));
    this.#longRequests.clear();
    for (const { reject } of this.#waiting.splice(0)) reject(this.#unavailable());
    this.note(`${reason}; it is started again in ${pause} ms`);
    this.events.onLost(this, reason);
    sleep(pause, undefined, { signal: this.#stop.signal, ref: true }).then(
      () => this.#connect(),
      () => undefined,
    );
  }

  #unavailable(reason = this.#lastFailure, failure?: FailureCode): CallFailedError {
    const next =
      this.#state === "closed"
        ? ""
        : " The gateway restarts it automatically; other servers are not affected. Try the call again in a moment.";
    const what = `The MCP server "${this.name}" is not available: ${reason.replace(/\.$/, "")}.`;
    return new CallFailedError(what + next, failure ?? "SERVER_UNAVAILABLE");
  }
}

/** What is resolved to within so many milliseconds, otherwise `undefined`. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Waiting {
  readonly resolve: (answer: RpcAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** The requests that a server has not answered yet, by the text of their ids: some servers make texts of them. */
export class OpenRequests {
  #nextId = 1;
  readonly #waiting = new Map<string, Waiting>();

  get size(): number {
    return this.#waiting.size;
  }

  /** The id of the request that was added last. */
  get lastId(): RpcId {
    return this.#nextId - 1;
  }

  add(): { readonly id: RpcId; readonly answer: Promise<RpcAnswer> } {
    const id = this.#nextId++;
    const answer = new Promise<RpcAnswer>((resolve, reject) => {
      this.#waiting.set(String(id), { resolve, reject });
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
    return this.#waiting.delete(String(id));
  }

  failAll(error: Error): void {
    const open = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of open) reject(error);
  }

  #take(id: RpcId): Waiting | undefined {
    const waiting = this.#waiting.get(String(id));
    this.#waiting.delete(String(id));
    return waiting;
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
    private readonly limits: Pick<GatewayLimits, "silenceMs" | "pingMs">,
    private readonly events: SilenceEvents,
  ) {}

  /** Begins to count from now. */
  restart(): void {
    const { silenceMs, pingMs } = this.limits;
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

  constructor(private readonly limits: Pick<GatewayLimits, "firstRestartMs" | "lastRestartMs">) {}

  /** How long it is until the restart. */
  get msLeft(): number {
    return this.#restartAt - performance.now();
  }

  /** The pause before the next restart, in milliseconds. */
  begin(): number {
    clearTimeout(this.#steady);
    const { firstRestartMs, lastRestartMs } = this.limits;
    const pause = Math.min(firstRestartMs * 2 ** this.#restarts++, lastRestartMs);
    this.#restartAt = performance.now() + pause;
    return pause;
  }

  /** The server is ready. One that ends right after each start must not be restarted without a pause. */
  end(): void {
    this.#steady = setTimeout(() => {
      this.#restarts = 0;
    }, this.limits.lastRestartMs).unref();
  }
}

/** A call that a server did not answer. */
export class CallFailedError extends Error {
  override readonly name = "CallFailedError";

  constructor(
    message: string,
    readonly code: FailureCode,
  ) {
    super(message);
  }
}
