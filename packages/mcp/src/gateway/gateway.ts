import { SUBSCRIPTION_ID_META_KEY, type Transport } from "@modelcontextprotocol/server";
import { createWorkspace, type Workspace } from "context-offload";
import { createToolbox, type ReadingToolList } from "../toolbox.js";
import { Catalog } from "./catalog.js";
import { ClientRequests } from "./client-requests.js";
import { Forwarding, ServerRequests } from "./forwarding.js";
import {
  type OffloadConfig,
  type ServerConfig,
  DEFAULT_LIMITS,
  type GatewayLimits,
  parseLimits,
} from "./gateway-config.js";
import {
  asParams,
  errorAnswer,
  INTERNAL_ERROR,
  isNotification,
  isRequest,
  notification,
  omit,
  readMessages,
  rejectRequest,
  respond,
  type MalformedRequest,
  type Params,
  type RpcAnswer,
  type RpcId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from "./json-rpc.js";
import { LineTransport } from "./lines.js";
import { Places, type ProjectStore } from "./places.js";
import { Rounds } from "./rounds.js";
import { Subscriptions } from "./subscriptions.js";
import { Upstream, within } from "./upstream.js";
import { ResourceRequests, ResourceRoutes } from "./resources.js";
import { ToolCalls } from "./tool-calls.js";

/** Which servers are behind a gateway, and where it stores what they answer. */
export interface GatewayOptions {
  /** The servers by name, as `parseGatewayConfig` returns them. */
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /**
   * Where large answers are stored: one workspace, or a function that opens that of a project, for a gateway that
   * serves a person in whatever folder they work. It is called with the first root of the client, or
   * `project` where the client has no roots, and the gateway closes what it opens.
   */
  readonly workspace: Workspace | ((project: string) => ProjectStore);
  /** The folder of the project of a client without roots. Default: the working folder. */
  readonly project?: string | undefined;
  /** The session that they belong to. Default `"mcp"`. */
  readonly sessionId?: string | undefined;
  /**
   * Which reading tools are listed: `"one"` is `read_stored`, and `"none"` is for all but one of several gateways of
   * a client with the same workspace and session. Calls of all of them are answered. Default `"one"`.
   */
  readonly readingTools?: ReadingToolList | undefined;
  /** Which answers are offloaded; a server's own policy comes before it. */
  readonly policy?: OffloadConfig | undefined;
  /** Whether offloading is switched off, asked at each large answer: see `isSwitchedOff`. Default: never. */
  readonly isOff?: (() => Promise<boolean>) | undefined;
  /** How long to wait for servers, and how large a message may be. */
  readonly limits?: Partial<GatewayLimits> | undefined;
}

/** MCP servers behind one, whose large answers are stored. */
export interface Gateway {
  /** Serves one client over this transport; resolves when the client is gone and all servers are closed. */
  serve(transport: Transport): Promise<void>;
  /** Serves the client on the standard input and output of this process. */
  serveStdio(): Promise<void>;
  close(): Promise<void>;
}

/** The first version of the protocol with `resource_link`. */
const LINKS_SINCE = "2025-06-18";

/** Creates a gateway; nothing is started before a client connects. */
export function createGateway(options: GatewayOptions): Gateway {
  return new RunningGateway(options);
}

class RunningGateway implements Gateway {
  readonly #upstreams: readonly Upstream[];
  readonly #tools: Catalog;
  readonly #prompts: Catalog;
  readonly #routes: ResourceRoutes;
  readonly #clientRequests: ClientRequests;
  readonly #resources: ResourceRequests;
  readonly #places: Places;
  readonly #rounds: Rounds;
  readonly #forwarding: Forwarding;
  readonly #subscriptions: Subscriptions;
  readonly #serverRequests = new ServerRequests((message) => {
    this.#send(message);
  });
  readonly #limits: GatewayLimits;
  #client: Transport | undefined;
  /** The client opened the connection with `initialize`, and said what it can do. */
  #hello: Params | undefined;
  #isClientReady = false;
  #closing: Promise<void> | undefined;

  constructor({ servers, workspace, policy, ...options }: GatewayOptions) {
    const { sessionId = "mcp", readingTools = "one" } = options;
    const limits = (this.#limits = {
      ...DEFAULT_LIMITS,
      ...parseLimits("limits", options.limits),
    });
    const isOff = options.isOff ?? (() => Promise.resolve(false));
    this.#upstreams = Object.entries(servers).map(([name, config]) =>
      this.#createUpstream(name, config, limits),
    );
    const upstreams = this.#upstreams;
    const rounds = (this.#rounds = new Rounds({
      heldMs: limits.callMs,
      cancel: (params) => {
        this.#forwarding.cancel(params);
      },
    }));
    const forwarding = (this.#forwarding = new Forwarding(rounds, this.#serverRequests));
    const places = (this.#places = new Places({
      ...{ store: workspace, sessionId, readingTools },
      folder: options.project ?? process.cwd(),
      askRoots: (request) => this.#askRoots(request),
    }));
    // What is said of the tools is the same wherever they read.
    const described =
      typeof workspace === "function" ? createWorkspace({ store: "memory:" }) : workspace;
    const toolbox = createToolbox(described, { sessionId, readingTools });
    const instructions = described.systemPrompt({
      readingTools: readingTools === "none" ? "one" : readingTools,
    });
    const tools = (this.#tools = new Catalog("tools", upstreams, limits, toolbox.names));
    const prompts = (this.#prompts = new Catalog("prompts", upstreams, limits));
    const routes = (this.#routes = new ResourceRoutes(upstreams));
    const resources = (this.#resources = new ResourceRequests(routes, forwarding, places));
    const subscriptions = (this.#subscriptions = new Subscriptions({
      send: (message) => {
        this.#send(message);
      },
      onUris: (added, removed) => {
        resources.watch(added, removed).catch(() => undefined);
      },
    }));
    this.#clientRequests = new ClientRequests({
      ...{ upstreams, tools, prompts, routes, resources, forwarding, rounds, subscriptions },
      ...{ limits, isOff, instructions, ownTools: toolbox.tools },
      calls: new ToolCalls({
        ...{ tools, forwarding, places, policy, readingTools, isOff, note },
        ownNames: toolbox.names,
        hasLinks: (request) =>
          rounds.envelopeOf(request) !== undefined ||
          this.#clientRequests.protocolVersion >= LINKS_SINCE,
      }),
      onStatelessClient: () => {
        this.#announceClient();
      },
    });
  }

  serveStdio(): Promise<void> {
    const stdio = new LineTransport(process.stdin, process.stdout, this.#limits.maxMessageBytes);
    const end = (): void => {
      void this.close();
    };
    process.once("SIGTERM", end).once("SIGINT", end);
    return this.serve(stdio).finally(() => {
      process.off("SIGTERM", end).off("SIGINT", end);
    });
  }

  async serve(transport: Transport): Promise<void> {
    this.#client = transport;
    const gone = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    transport.onmessage = (message) => {
      for (const read of readMessages(message)) this.#fromClient(read);
    };
    transport.onerror = (error) => {
      note(error.message);
    };
    await transport.start();
    await gone;
    await this.close();
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.#rounds.close();
      this.#subscriptions.close();
      await Promise.all(this.#upstreams.map((upstream) => upstream.close()));
      await this.#client?.close().catch(() => undefined);
      await this.#places.close();
    })();
    return this.#closing;
  }

  #createUpstream(name: string, config: ServerConfig, limits: GatewayLimits): Upstream {
    return new Upstream(name, config, limits, {
      onRequest: (upstream, request) => {
        this.#askClient(upstream, request);
      },
      onNotification: (upstream, message) => {
        this.#fromServer(upstream, message);
      },
      onReady: (upstream) => {
        this.#welcome(upstream);
      },
      onLost: (upstream, reason) => {
        this.#serverRequests.withdraw(upstream, reason);
        this.#rounds.withdraw(upstream);
      },
    });
  }

  #fromClient(message: RpcMessage | MalformedRequest): void {
    if ("malformedId" in message) this.#send(rejectRequest(message));
    else if (isRequest(message)) {
      if (message.method === "initialize") this.#hello = message.params ?? {};
      void this.#clientRequests.answer(message).then((answer) => {
        if (answer) this.#send(respond(message.id, answer));
      });
    } else if (isNotification(message)) this.#noticeOfClient(message);
    else this.#serverRequests.answer(message.id, message);
  }

  #noticeOfClient({ method, params = {} }: RpcNotification): void {
    switch (method) {
      case "notifications/initialized":
        this.#announceClient();
        return;
      case "notifications/cancelled": {
        const requestId = params["requestId"] as RpcId;
        if (this.#subscriptions.cancel(requestId)) return;
        this.#forwarding.cancel({ ...params, requestId: this.#rounds.workId(requestId) });
        return;
      }
      case "notifications/progress":
        if (this.#serverRequests.progress(params)) return;
        break;
      case "notifications/roots/list_changed":
        this.#places.forgetRoots();
        break;
    }
    for (const upstream of this.#upstreams) {
      if (upstream.isReady && upstream.era === "handshake") {
        upstream.send(notification(method, params));
      }
    }
  }

  #announceClient(): void {
    if (this.#isClientReady) return;
    this.#isClientReady = true;
    for (const upstream of this.#upstreams) upstream.announceClient();
  }

  /** A server with a handshake asks the client for something. */
  #askClient(upstream: Upstream, request: RpcRequest): void {
    if (this.#hello) {
      this.#serverRequests.forward(upstream, request);
      return;
    }
    void this.#rounds.ask(upstream, request).then((answer) => {
      upstream.send(respond(request.id, answer));
    });
  }

  /** The roots of a client that has them. */
  async #askRoots(request: RpcRequest): Promise<RpcAnswer | undefined> {
    const envelope = this.#rounds.envelopeOf(request);
    const { capabilities } = envelope ?? { capabilities: asParams(this.#hello?.["capabilities"]) };
    if (!capabilities["roots"] || !this.#isClientReady) return undefined;
    const asker = {};
    if (envelope) this.#rounds.join(request, asker);
    const questions = envelope ? this.#rounds : this.#serverRequests;
    const answer = await within(
      this.#limits.listMs,
      questions.ask(asker, { method: "roots/list" }),
    );
    if (!answer) questions.withdraw(asker, "The client did not tell its roots");
    return answer;
  }

  #fromServer(upstream: Upstream, message: RpcNotification): void {
    const { method, params = {} } = withoutSubscription(message);
    switch (method) {
      case "notifications/cancelled":
        this.#serverRequests.cancel(upstream, params);
        this.#rounds.withdraw(upstream, undefined, params["requestId"] as RpcId);
        return;
      case "notifications/subscriptions/acknowledged":
        return;
      case "notifications/resources/updated": {
        const uri = this.#routes.shownUri(upstream, String(params["uri"]));
        this.#tell(notification(method, { ...params, uri }));
        return;
      }
      case "notifications/tools/list_changed":
        this.#tools.forget(upstream);
        break;
      case "notifications/prompts/list_changed":
        this.#prompts.forget(upstream);
        break;
      case "notifications/message":
        if (this.#hello || this.#rounds.wantsLog(upstream, (level) => isAtLeast(params, level))) {
          this.#send(message);
        }
        return;
      case "notifications/progress":
        this.#send(message);
        return;
    }
    this.#tell("params" in message ? notification(method, params) : notification(method));
  }

  /** Tells the client of a change: at any time after a handshake, otherwise if it asked for it. */
  #tell(message: RpcNotification): void {
    if (this.#hello) this.#send(message);
    this.#subscriptions.publish(message);
  }

  /** A server was started, perhaps late or again. */
  #welcome(upstream: Upstream): void {
    this.#tools.forget(upstream);
    this.#prompts.forget(upstream);
    if (upstream.era === "stateless") this.#resources.resubscribe(upstream);
    if (!this.#isClientReady) return;
    this.#clientRequests.restore(upstream);
    for (const kind of ["tools", "prompts", "resources"]) {
      if (!upstream.capabilities[kind]) continue;
      this.#tell(notification(`notifications/${kind}/list_changed`));
    }
  }

  #send(message: RpcMessage): void {
    if (this.#closing) return;
    this.#client?.send(message).catch((error: unknown) => {
      // The client is gone, or the message cannot be written as JSON, such as one that is nested too deeply.
      const answer = errorAnswer(INTERNAL_ERROR, `It cannot be passed on: ${String(error)}`);
      if (isRequest(message)) this.#serverRequests.answer(message.id, answer);
      else if ("result" in message) this.#send(respond(message.id, answer));
    });
  }
}

/** The notice as it is without a subscription, whose id only its own client knows. */
function withoutSubscription(message: RpcNotification): RpcNotification {
  const { [SUBSCRIPTION_ID_META_KEY]: id, ...meta } = asParams(message.params?.["_meta"]);
  if (id === undefined) return message;
  const params = omit(message.params ?? {}, "_meta");
  return notification(
    message.method,
    Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params,
  );
}

const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

function isAtLeast({ level }: Params, least: string): boolean {
  return LEVELS.indexOf(String(level)) >= LEVELS.indexOf(least);
}

/** For people: standard output belongs to the protocol. */
function note(text: string): void {
  process.stderr.write(`[context-offload gateway] ${text}\n`);
}
