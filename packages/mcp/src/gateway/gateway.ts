import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Transport } from "@modelcontextprotocol/server";
import { TOOL_NAMES, type Workspace } from "context-offload";
import { readArtifact } from "../artifact-resources.js";
import { parseArtifactUri } from "../artifact-uri.js";
import { PACKAGE_VERSION } from "../package-version.js";
import { createToolbox, type Toolbox } from "../toolbox.js";
import { Catalog, type CatalogEntry } from "./catalog.js";
import type { OffloadConfig, ServerConfig } from "./gateway-config.js";
import {
  asParams,
  asText,
  errorAnswer,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isNotification,
  isRequest,
  METHOD_NOT_FOUND,
  notification,
  RESOURCE_NOT_FOUND,
  respond,
  type Params,
  type RpcAnswer,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from "./json-rpc.js";
import { mergeInitialize } from "./merge-initialize.js";
import { offloadAnswer } from "./offload-answer.js";
import { MAX_MESSAGE_BYTES } from "./open-transport.js";
import { ResourceRoutes, type ResourceRoute } from "./resource-routes.js";
import { ServerRequests } from "./server-requests.js";
import {
  ServerUnavailableError,
  Upstream,
  type GatewayTimes,
  type SentRequest,
} from "./upstream.js";

/** Which servers are behind a gateway, and where it stores what they answer. */
export interface GatewayOptions {
  /** The servers by name, as `parseGatewayConfig` reads them. */
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** Where large answers are stored. */
  readonly workspace: Workspace;
  /** The session that they belong to. Default `"mcp"`. */
  readonly sessionId?: string | undefined;
  /** Which answers are offloaded; a server's own policy comes before it. */
  readonly policy?: OffloadConfig | undefined;
  /** Whether offloading is switched off, asked at each large answer: see `isSwitchedOff`. Default: never. */
  readonly isOff?: (() => Promise<boolean>) | undefined;
  /** How long to wait for servers, and between restarts. */
  readonly times?: Partial<GatewayTimes> | undefined;
}

/** MCP servers behind one, whose large answers are stored. */
export interface Gateway {
  /** Serves one client over this transport; resolves when the client is gone and all servers are closed. */
  serve(transport: Transport): Promise<void>;
  /** Serves the client on the standard input and output of this process. */
  serveStdio(): Promise<void>;
  close(): Promise<void>;
}

const DEFAULT_TIMES: GatewayTimes = {
  startMs: 60_000,
  listMs: 15_000,
  patienceMs: 8_000,
  silenceMs: 300_000,
  pingMs: 30_000,
  firstRestartMs: 500,
  lastRestartMs: 30_000,
};

/** The name that the gateway introduces itself by, and those whose answers are short already. */
const GATEWAY_NAME = "context-offload-gateway";
const OWN_NAMES: readonly unknown[] = [GATEWAY_NAME, "context-offload"];
/** The first version of the protocol with `resource_link`. */
const LINKS_SINCE = "2025-06-18";

/** Creates a gateway; nothing is started before a client connects. */
export function createGateway(options: GatewayOptions): Gateway {
  return new RunningGateway(options);
}

class RunningGateway implements Gateway {
  readonly #options: GatewayOptions;
  readonly #sessionId: string;
  readonly #upstreams: readonly Upstream[];
  readonly #tools: Catalog;
  readonly #prompts: Catalog;
  readonly #resources: ResourceRoutes;
  readonly #toolbox: Toolbox;
  readonly #serverRequests = new ServerRequests((message) => {
    this.#send(message);
  });
  /** The client's open requests, to be cancelled by its own ids. */
  readonly #open = new Map<RpcId, SentRequest>();
  /** Tasks by the server that runs them, and the tool whose answer they bring. */
  readonly #tasks = new Map<
    string,
    { readonly upstream: Upstream; readonly call: CallInfo | undefined }
  >();
  readonly #subscriptions = new Map<string, ResourceRoute>();
  #logLevel: Params | undefined;
  #client: Transport | undefined;
  #isClientReady = false;
  #protocolVersion = "";
  #closing: Promise<void> | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#sessionId = options.sessionId ?? "mcp";
    const times = { ...DEFAULT_TIMES, ...options.times };
    this.#upstreams = Object.entries(options.servers).map(
      ([name, config]) =>
        new Upstream(name, config, times, {
          onRequest: (upstream, request) => {
            this.#serverRequests.forward(upstream, request);
          },
          onNotification: (upstream, message) => {
            this.#fromServer(upstream, message);
          },
          onReady: (upstream) => {
            this.#welcome(upstream);
          },
          onLost: (upstream, reason) => {
            this.#serverRequests.drop(upstream, reason);
          },
        }),
    );
    this.#toolbox = createToolbox(options.workspace, { sessionId: this.#sessionId });
    this.#tools = new Catalog("tools", this.#upstreams, new Set(TOOL_NAMES));
    this.#prompts = new Catalog("prompts", this.#upstreams, new Set());
    this.#resources = new ResourceRoutes(this.#upstreams);
  }

  serveStdio(): Promise<void> {
    const stdio = new StdioServerTransport(process.stdin, process.stdout, {
      maxBufferSize: MAX_MESSAGE_BYTES,
    });
    return this.serve(stdio);
  }

  async serve(transport: Transport): Promise<void> {
    this.#client = transport;
    const gone = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    transport.onmessage = (message) => {
      this.#fromClient(message as RpcMessage);
    };
    transport.onerror = (error) => {
      this.#note(error.message);
    };
    await transport.start();
    await gone;
    await this.close();
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await Promise.all(this.#upstreams.map((upstream) => upstream.close()));
      await this.#client?.close().catch(() => undefined);
    })();
    return this.#closing;
  }

  #fromClient(message: RpcMessage): void {
    if (isRequest(message)) {
      this.#answer(message)
        .catch((error: unknown) => explainFailure(message, error))
        .then((answer) => {
          this.#open.delete(message.id);
          if (answer) this.#send(respond(message.id, answer));
        })
        .catch((error: unknown) => {
          this.#note(String(error));
        });
    } else if (isNotification(message)) this.#fromClientNotification(message);
    else this.#serverRequests.answer(message.id, message);
  }

  #fromClientNotification({ method, params = {} }: RpcNotification): void {
    if (method === "notifications/initialized") {
      this.#isClientReady = true;
      for (const upstream of this.#upstreams) upstream.announceClient();
    } else if (method === "notifications/cancelled") {
      this.#open.get(params["requestId"] as RpcId)?.cancel(params);
    } else if (method !== "notifications/progress" || !this.#serverRequests.progress(params)) {
      for (const upstream of this.#upstreams) {
        if (upstream.isReady) upstream.send(notification(method, params));
      }
    }
  }

  /** Answers a request of the client; `undefined` if it was cancelled. */
  async #answer(request: RpcRequest): Promise<RpcAnswer | undefined> {
    const { method, params = {} } = request;
    switch (method) {
      case "initialize":
        return this.#initialize(params);
      case "ping":
        return { result: {} };
      case "tools/list":
        return {
          result: { tools: [...(await this.#shown(this.#tools)), ...(await this.#ownTools())] },
        };
      case "prompts/list":
        return { result: { prompts: await this.#shown(this.#prompts) } };
      case "resources/list":
        return { result: await this.#resources.list("resources", params) };
      case "resources/templates/list":
        return { result: await this.#resources.list("resourceTemplates", params) };
      case "tools/call":
        return this.#callTool(request, params);
      case "prompts/get": {
        const entry = await this.#prompts.find(String(params["name"]));
        if (!entry) return errorAnswer(INVALID_PARAMS, `Unknown prompt: ${String(params["name"])}`);
        return this.#forward(entry.upstream, request, { ...params, name: entry.name });
      }
      case "completion/complete":
        return this.#complete(request, params);
      case "resources/read":
        return this.#readResource(request, params);
      case "resources/subscribe":
      case "resources/unsubscribe":
        return this.#subscribe(request, params);
      case "logging/setLevel":
        this.#logLevel = params;
        return this.#toAll(request, "logging");
      case "tasks/get":
      case "tasks/cancel":
      case "tasks/result":
        return this.#task(request, params);
      default:
        return this.#forwardUnknown(request);
    }
  }

  async #initialize(hello: Params): Promise<RpcAnswer> {
    for (const upstream of this.#upstreams) upstream.start(hello);
    const started = await Promise.allSettled(
      this.#upstreams.map((upstream) => upstream.whenReady()),
    );
    const failures = started.flatMap((start) =>
      start.status === "rejected" ? [(start.reason as Error).message] : [],
    );
    if (failures.length === this.#upstreams.length) {
      return errorAnswer(INTERNAL_ERROR, failures.join(" "));
    }
    const isOff = await this.#isOff();
    const instructions = isOff ? "" : this.#options.workspace.systemPrompt();
    const serverInfo = { name: GATEWAY_NAME, version: PACKAGE_VERSION };
    const result = mergeInitialize(this.#upstreams, hello, { serverInfo, instructions });
    this.#protocolVersion = asText(result["protocolVersion"]) ?? "";
    return { result };
  }

  async #shown(catalog: Catalog): Promise<Params[]> {
    return (await catalog.entries()).map(({ definition, name, shownName }) =>
      name === shownName ? definition : { ...definition, name: shownName },
    );
  }

  /** Our reading tools stay callable while offloading is switched off, but they are not shown. */
  async #ownTools(): Promise<readonly Params[]> {
    return (await this.#isOff()) ? [] : this.#toolbox.tools;
  }

  async #callTool(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined> {
    const shownName = String(params["name"]);
    if (this.#toolbox.has(shownName)) return this.#callOwnTool(request, shownName, params);
    const entry = await this.#tools.find(shownName);
    if (!entry) return errorAnswer(INVALID_PARAMS, `Unknown tool: ${shownName}`);
    const call = { entry, input: params["arguments"] };
    const sent = entry.name === shownName ? params : { ...params, name: entry.name };
    const answer = await this.#forward(entry.upstream, request, sent);
    if (!answer || "error" in answer) return answer;
    const taskId = asText(asParams(answer.result["task"])["taskId"]);
    if (taskId !== undefined) this.#tasks.set(taskId, { upstream: entry.upstream, call });
    return { result: await this.#offload(call, answer.result) };
  }

  async #callOwnTool(
    { id }: RpcRequest,
    name: string,
    params: Params,
  ): Promise<RpcAnswer | undefined> {
    const aborted = new AbortController();
    const stop = (): void => {
      aborted.abort();
    };
    this.#open.set(id, { answer: Promise.resolve({ result: {} }), cancel: stop });
    const result = await this.#toolbox.call(name, params["arguments"], aborted.signal);
    return aborted.signal.aborted ? undefined : { result };
  }

  /** Never fails: what cannot be offloaded is passed through. */
  async #offload({ entry, input }: CallInfo, result: Params): Promise<Params> {
    const { upstream, definition, name: toolName } = entry;
    if (OWN_NAMES.includes(asParams(upstream.initialized?.["serverInfo"])["name"])) return result;
    const schema = definition["outputSchema"];
    try {
      return await offloadAnswer(
        {
          ...{ toolName, input, result },
          outputSchema: schema === undefined ? undefined : asParams(schema),
          policies: [this.#options.policy, upstream.config.contextOffload],
        },
        {
          workspace: this.#options.workspace,
          sessionId: this.#sessionId,
          isOff: () => this.#isOff(),
          hasLinks: this.#protocolVersion >= LINKS_SINCE,
        },
      );
    } catch (error) {
      this.#note(`an answer of ${toolName} could not be offloaded: ${String(error)}`);
      return result;
    }
  }

  async #complete(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined> {
    const ref = asParams(params["ref"]);
    if (ref["type"] === "ref/prompt") {
      const entry = await this.#prompts.find(String(ref["name"]));
      if (!entry) return errorAnswer(INVALID_PARAMS, `Unknown prompt: ${String(ref["name"])}`);
      const own = { ...params, ref: { ...ref, name: entry.name } };
      return this.#forward(entry.upstream, request, own);
    }
    const [route] = await this.#resources.find(String(ref["uri"]));
    if (!route) return errorAnswer(INVALID_PARAMS, `Unknown resource: ${String(ref["uri"])}`);
    return this.#forward(route.upstream, request, { ...params, ref: { ...ref, uri: route.uri } });
  }

  async #readResource(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined> {
    const uri = String(params["uri"]);
    if (parseArtifactUri(uri)) {
      const { workspace } = this.#options;
      return { result: await readArtifact(workspace, uri, { sessionId: this.#sessionId }) };
    }
    let answer: RpcAnswer | undefined = errorAnswer(
      RESOURCE_NOT_FOUND,
      `Resource not found: ${uri}`,
    );
    for (const route of await this.#resources.find(uri)) {
      answer = await this.#forward(route.upstream, request, { ...params, uri: route.uri });
      if (!answer || "result" in answer) break;
    }
    return answer;
  }

  async #subscribe(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined> {
    const uri = String(params["uri"]);
    // What is stored never changes.
    if (parseArtifactUri(uri)) return { result: {} };
    const [route] = await this.#resources.find(uri);
    if (!route) return errorAnswer(RESOURCE_NOT_FOUND, `Resource not found: ${uri}`);
    if (request.method === "resources/subscribe") this.#subscriptions.set(uri, route);
    else this.#subscriptions.delete(uri);
    return this.#forward(route.upstream, request, { ...params, uri: route.uri });
  }

  async #task(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined> {
    const task = this.#tasks.get(String(params["taskId"]));
    if (!task) return this.#forwardUnknown(request);
    const answer = await this.#forward(task.upstream, request, params);
    if (!answer || "error" in answer || request.method !== "tasks/result" || !task.call)
      return answer;
    return { result: await this.#offload(task.call, answer.result) };
  }

  /** A method that the gateway does not know: only one server can be meant. */
  async #forwardUnknown(request: RpcRequest): Promise<RpcAnswer | undefined> {
    const [only, ...others] = this.#upstreams;
    // A client of 2026 asks this first, and goes on with `initialize` if it is not known.
    const isProbe = request.method === "server/discover";
    if (only && others.length === 0 && !isProbe)
      return this.#forward(only, request, request.params);
    return errorAnswer(METHOD_NOT_FOUND, `Method not found: ${request.method}`);
  }

  async #toAll(request: RpcRequest, capability: string): Promise<RpcAnswer> {
    const able = this.#upstreams.filter(
      (upstream) => upstream.isReady && upstream.capabilities[capability] !== undefined,
    );
    const answers = await Promise.all(
      able.map((upstream) => upstream.request(request.method, request.params).answer),
    );
    return answers.find((answer) => "error" in answer) ?? { result: {} };
  }

  async #forward(
    upstream: Upstream,
    { id, method }: RpcRequest,
    params: Params | undefined,
  ): Promise<RpcAnswer | undefined> {
    if (!upstream.isReady) await upstream.whenReady();
    const sent = upstream.request(method, params);
    const cancelled = new Promise<undefined>((resolve) => {
      this.#open.set(id, {
        answer: sent.answer,
        cancel: (reason) => {
          sent.cancel(reason);
          resolve(undefined);
        },
      });
    });
    return Promise.race([sent.answer, cancelled]);
  }

  #fromServer(upstream: Upstream, { method, params = {} }: RpcNotification): void {
    switch (method) {
      case "notifications/cancelled":
        this.#serverRequests.cancel(upstream, params);
        return;
      case "notifications/tools/list_changed":
        this.#tools.forget(upstream);
        break;
      case "notifications/prompts/list_changed":
        this.#prompts.forget(upstream);
        break;
      case "notifications/resources/updated": {
        const uri = this.#resources.shownUri(upstream, String(params["uri"]));
        this.#send(notification(method, { ...params, uri }));
        return;
      }
    }
    this.#send(notification(method, params));
  }

  /** Brings a server that was started late or again to where the client believes it is. */
  #welcome(upstream: Upstream): void {
    this.#tools.forget(upstream);
    this.#prompts.forget(upstream);
    if (!this.#isClientReady) return;
    if (this.#logLevel && upstream.capabilities["logging"]) {
      void upstream.requestSoon("logging/setLevel", this.#logLevel).catch(() => undefined);
    }
    for (const route of this.#subscriptions.values()) {
      if (route.upstream !== upstream) continue;
      void upstream.requestSoon("resources/subscribe", { uri: route.uri }).catch(() => undefined);
    }
    for (const kind of ["tools", "prompts", "resources"]) {
      if (upstream.capabilities[kind])
        this.#send(notification(`notifications/${kind}/list_changed`));
    }
  }

  #isOff(): Promise<boolean> {
    return this.#options.isOff?.() ?? Promise.resolve(false);
  }

  #send(message: RpcMessage): void {
    if (this.#closing) return;
    this.#client?.send(message).catch(() => undefined);
  }

  #note(text: string): void {
    process.stderr.write(`[context-offload gateway] ${text}\n`);
  }
}

interface CallInfo {
  readonly entry: CatalogEntry;
  readonly input: unknown;
}

/** A model reads the answer of a tool, while an error may be shown to nobody. */
function explainFailure({ method }: RpcRequest, error: unknown): RpcAnswer {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ServerUnavailableError && method === "tools/call") {
    return { result: { content: [{ type: "text", text: message }], isError: true } };
  }
  return errorAnswer(INTERNAL_ERROR, message);
}
