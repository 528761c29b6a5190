import type { Transport } from "@modelcontextprotocol/server";
import { TOOL_NAMES, type Workspace } from "context-offload";
import { createToolbox } from "../toolbox.js";
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
  errorAnswer,
  INTERNAL_ERROR,
  isNotification,
  isRequest,
  notification,
  readMessages,
  rejectRequest,
  respond,
  type MalformedRequest,
  type RpcMessage,
  type RpcNotification,
} from "./json-rpc.js";
import { LineTransport } from "./lines.js";
import { Upstream } from "./upstream.js";
import { ResourceRequests, ResourceRoutes } from "./resources.js";
import { ToolCalls } from "./tool-calls.js";

/** Which servers are behind a gateway, and where it stores what they answer. */
export interface GatewayOptions {
  /** The servers by name, as `parseGatewayConfig` returns them. */
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** Where large answers are stored. */
  readonly workspace: Workspace;
  /** The session that they belong to. Default `"mcp"`. */
  readonly sessionId?: string | undefined;
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
  readonly #forwarding = new Forwarding();
  readonly #serverRequests = new ServerRequests((message) => {
    this.#send(message);
  });
  readonly #limits: GatewayLimits;
  #client: Transport | undefined;
  #isClientReady = false;
  #closing: Promise<void> | undefined;

  constructor({ servers, workspace, sessionId = "mcp", policy, ...options }: GatewayOptions) {
    const limits = (this.#limits = {
      ...DEFAULT_LIMITS,
      ...parseLimits("limits", options.limits),
    });
    const isOff = options.isOff ?? (() => Promise.resolve(false));
    this.#upstreams = Object.entries(servers).map(([name, config]) =>
      this.#createUpstream(name, config, limits),
    );
    const upstreams = this.#upstreams;
    const forwarding = this.#forwarding;
    const toolbox = createToolbox(workspace, { sessionId });
    const tools = (this.#tools = new Catalog("tools", upstreams, limits, new Set(TOOL_NAMES)));
    const prompts = (this.#prompts = new Catalog("prompts", upstreams, limits));
    const routes = (this.#routes = new ResourceRoutes(upstreams));
    this.#clientRequests = new ClientRequests({
      ...{ upstreams, tools, prompts, routes, toolbox, forwarding, workspace, isOff },
      limits,
      resources: new ResourceRequests(routes, forwarding, workspace, { sessionId }),
      calls: new ToolCalls({
        ...{ tools, toolbox, forwarding, workspace, sessionId, policy, isOff, note },
        hasLinks: () => this.#clientRequests.protocolVersion >= LINKS_SINCE,
      }),
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
      await Promise.all(this.#upstreams.map((upstream) => upstream.close()));
      await this.#client?.close().catch(() => undefined);
    })();
    return this.#closing;
  }

  #createUpstream(name: string, config: ServerConfig, limits: GatewayLimits): Upstream {
    return new Upstream(name, config, limits, {
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
    });
  }

  #fromClient(message: RpcMessage | MalformedRequest): void {
    if ("malformedId" in message) this.#send(rejectRequest(message));
    else if (isRequest(message)) {
      void this.#clientRequests.answer(message).then((answer) => {
        if (answer) this.#send(respond(message.id, answer));
      });
    } else if (isNotification(message)) this.#noticeOfClient(message);
    else this.#serverRequests.answer(message.id, message);
  }

  #noticeOfClient({ method, params = {} }: RpcNotification): void {
    if (method === "notifications/initialized") {
      this.#isClientReady = true;
      for (const upstream of this.#upstreams) upstream.announceClient();
    } else if (method === "notifications/cancelled") this.#forwarding.cancel(params);
    else if (method !== "notifications/progress" || !this.#serverRequests.progress(params)) {
      for (const upstream of this.#upstreams) {
        if (upstream.isReady) upstream.send(notification(method, params));
      }
    }
  }

  #fromServer(upstream: Upstream, message: RpcNotification): void {
    const { method, params = {} } = message;
    switch (method) {
      case "notifications/cancelled":
        this.#serverRequests.cancel(upstream, params);
        return;
      case "notifications/resources/updated": {
        const uri = this.#routes.shownUri(upstream, String(params["uri"]));
        this.#send(notification(method, { ...params, uri }));
        return;
      }
      case "notifications/tools/list_changed":
        this.#tools.forget(upstream);
        break;
      case "notifications/prompts/list_changed":
        this.#prompts.forget(upstream);
        break;
    }
    this.#send(message);
  }

  /** A server was started, perhaps late or again. */
  #welcome(upstream: Upstream): void {
    this.#tools.forget(upstream);
    this.#prompts.forget(upstream);
    if (!this.#isClientReady) return;
    this.#clientRequests.restore(upstream);
    for (const kind of ["tools", "prompts", "resources"]) {
      if (!upstream.capabilities[kind]) continue;
      this.#send(notification(`notifications/${kind}/list_changed`));
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

/** For people: standard output belongs to the protocol. */
function note(text: string): void {
  process.stderr.write(`[context-offload gateway] ${text}\n`);
}
