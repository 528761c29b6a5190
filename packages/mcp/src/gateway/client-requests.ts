import { setTimeout as sleep } from "node:timers/promises";
import { SERVER_INFO_META_KEY } from "@modelcontextprotocol/client";
import { PACKAGE_VERSION } from "../package-version.js";
import type { Toolbox } from "../toolbox.js";
import type { Catalog } from "./catalog.js";
import type { Forwarding } from "./forwarding.js";
import type { GatewayLimits } from "./gateway-config.js";
import {
  asParams,
  asText,
  errorAnswer,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  omit,
  type Params,
  type RpcAnswer,
  type RpcRequest,
} from "./json-rpc.js";
import type { ResourceRequests, ResourceRoutes } from "./resources.js";
import { GATEWAY_NAME, type ToolCalls } from "./tool-calls.js";
import type { Rounds } from "./rounds.js";
import {
  type Envelope,
  handshakeVersion,
  helloOf,
  readEnvelope,
  REMOVED_METHODS,
  STATELESS_VERSION,
  toHandshake,
  toStateless,
} from "./stateless.js";
import type { Subscriptions } from "./subscriptions.js";
import { CallFailedError, type Opening, type Upstream } from "./upstream.js";

/** What the requests of a client are answered with. */
export interface ClientRequestParts {
  readonly upstreams: readonly Upstream[];
  readonly tools: Catalog;
  readonly prompts: Catalog;
  readonly routes: ResourceRoutes;
  readonly resources: ResourceRequests;
  readonly calls: ToolCalls;
  readonly ownTools: Toolbox["tools"];
  readonly instructions: string;
  readonly forwarding: Forwarding;
  readonly rounds: Rounds;
  readonly subscriptions: Subscriptions;
  readonly limits: GatewayLimits;
  readonly isOff: () => Promise<boolean>;
  /** Servers may be told that the client is ready. */
  readonly onStatelessClient: () => void;
}

/** Answers the requests of the client, by one server or by what several answer together. */
export class ClientRequests {
  /** The protocol version that was announced to the client. */
  protocolVersion = "";
  #opened: Promise<PromiseSettledResult<void>[]> | undefined;
  #logLevel: Params | undefined;

  constructor(private readonly parts: ClientRequestParts) {}

  /** Never rejects, and does not wait for longer than `callMs`; `undefined` if the request was cancelled. */
  async answer(request: RpcRequest): Promise<RpcAnswer | undefined> {
    const envelope = readEnvelope(request.params);
    if (envelope && "error" in envelope) return envelope as RpcAnswer;
    const { method } = request;
    // It has no end but the client's.
    if (envelope && method === "subscriptions/listen") {
      return this.parts.subscriptions.listen(request);
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(this.#giveUp(request));
      }, this.parts.limits.callMs);
    });
    const work = envelope ? this.#routeStateless(request, envelope) : this.#route(request);
    let answer: RpcAnswer | undefined;
    try {
      answer = await Promise.race([work, late]);
    } catch (error) {
      answer = explainFailure(request, error);
    } finally {
      clearTimeout(timer);
    }
    if (!answer) return undefined;
    return envelope ? toStateless(method, answer) : toHandshake(answer);
  }

  #giveUp({ id, method }: RpcRequest): CallFailedError {
    const { limits, forwarding, rounds } = this.parts;
    const reason = `There was no answer to ${method} within ${limits.callMs} ms (callMs)`;
    const cancelled = { requestId: rounds.workId(id), reason };
    // After the rejection, so that the client gets the error.
    setImmediate(() => {
      forwarding.cancel(cancelled);
    });
    return new CallFailedError(`${reason}. It was cancelled.`, "CALL_TIMED_OUT");
  }

  /** Brings a server that was started late or again to where the client believes it is. */
  restore(upstream: Upstream): void {
    this.parts.resources.resubscribe(upstream);
    const level = asText(this.#logLevel?.["level"]);
    if (level === undefined) return;
    if (upstream.era === "stateless") upstream.setLogLevel(level);
    if (upstream.era === "stateless" || !upstream.capabilities["logging"]) return;
    void upstream.requestSoon("logging/setLevel", this.#logLevel).catch(() => undefined);
  }

  /** The first request of a client without a handshake starts the servers. */
  async #routeStateless(request: RpcRequest, envelope: Envelope): Promise<RpcAnswer | undefined> {
    const { method } = request;
    if (REMOVED_METHODS.has(method)) return methodNotFound(method);
    const failed = await this.#openServers({ hello: helloOf(envelope), era: "stateless" });
    this.parts.onStatelessClient();
    if (method === "server/discover") return failed ?? { result: await this.#discover() };
    return this.parts.rounds.run(request, envelope, (own) => this.#route(own));
  }

  async #route(request: RpcRequest): Promise<RpcAnswer | undefined> {
    const { method, params = {} } = request;
    const { calls, prompts, resources, routes } = this.parts;
    switch (method) {
      case "initialize":
        return this.#initialize(params);
      case "ping":
        return { result: {} };
      case "tools/list":
        return { result: { tools: await this.#listTools() } };
      case "tools/call":
        return calls.call(request, params);
      case "prompts/list":
        return { result: { prompts: await listed(prompts) } };
      case "prompts/get":
        return this.#getPrompt(request, params);
      case "resources/list":
        return { result: await routes.list("resources", params) };
      case "resources/templates/list":
        return { result: await routes.list("resourceTemplates", params) };
      case "resources/read":
        return resources.read(request, params);
      case "resources/subscribe":
      case "resources/unsubscribe":
        return resources.subscribe(request, params);
      case "completion/complete":
        return this.#complete(request, params);
      case "logging/setLevel":
        this.#logLevel = params;
        return this.#setLogLevel(request);
      case "tasks/get":
      case "tasks/update":
      case "tasks/cancel":
      case "tasks/result": {
        const answer = await calls.task(request, params);
        return answer === false ? this.#forwardUnknown(request) : answer;
      }
      default:
        return this.#forwardUnknown(request);
    }
  }

  async #initialize(hello: Params): Promise<RpcAnswer> {
    const failed = await this.#openServers({ hello, era: "handshake" });
    if (failed) return failed;
    const { upstreams } = this.parts;
    const versions = upstreams.flatMap(({ isReady, era, initialized }) =>
      isReady && era === "handshake" ? (asText(initialized?.["protocolVersion"]) ?? []) : [],
    );
    this.protocolVersion = handshakeVersion(hello["protocolVersion"], versions);
    const capabilities = omit(mergeCapabilities(upstreams), "extensions");
    return {
      result: {
        ...{ protocolVersion: this.protocolVersion, capabilities, serverInfo: SERVER_INFO },
        instructions: await this.#instructions(),
      },
    };
  }

  async #discover(): Promise<Params> {
    const capabilities = omit(mergeCapabilities(this.parts.upstreams), "tasks");
    return {
      ...{ supportedVersions: [STATELESS_VERSION], capabilities },
      instructions: await this.#instructions(),
      _meta: { [SERVER_INFO_META_KEY]: SERVER_INFO },
    };
  }

  /** Waits for the servers, but not for long, since clients do not either; an error if there is none. */
  async #openServers(opening: Opening): Promise<RpcAnswer | undefined> {
    const { upstreams, limits } = this.parts;
    if (this.#opened && upstreams.some(({ isReady }) => isReady)) return undefined;
    const starts = upstreams.map((upstream) => upstream.start(opening));
    const settled = (this.#opened = Promise.allSettled(starts));
    const patience = sleep(limits.patienceMs, undefined, { ref: false });
    await Promise.race([settled, patience]);
    // Without any server there is nothing to tell the client.
    try {
      await Promise.any(starts);
      return undefined;
    } catch (error) {
      const reasons = (error as AggregateError).errors.map((reason) => (reason as Error).message);
      return errorAnswer(INTERNAL_ERROR, reasons.join(" "));
    }
  }

  async #instructions(): Promise<string> {
    const { upstreams, instructions, isOff } = this.parts;
    const texts = upstreams.map(({ isReady, initialized }) =>
      isReady ? asText(initialized?.["instructions"]) : undefined,
    );
    return [...texts, (await isOff()) ? "" : instructions].filter(Boolean).join("\n\n");
  }

  /** Our reading tools can be called while offloading is switched off, but they are not shown. */
  async #listTools(): Promise<readonly Params[]> {
    const { tools, ownTools, isOff } = this.parts;
    return [...(await listed(tools)), ...((await isOff()) ? [] : ownTools)];
  }

  async #getPrompt(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined> {
    const entry = await this.parts.prompts.find(String(params["name"]));
    if (!entry) return errorAnswer(INVALID_PARAMS, `Unknown prompt: ${String(params["name"])}`);
    return this.parts.forwarding.forward(entry.upstream, request, { ...params, name: entry.name });
  }

  async #complete(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined> {
    const { prompts, routes, forwarding } = this.parts;
    const ref = asParams(params["ref"]);
    const isPrompt = ref["type"] === "ref/prompt";
    const [key, shown] = isPrompt ? ["name", String(ref["name"])] : ["uri", String(ref["uri"])];
    const entry = isPrompt ? await prompts.find(shown) : (await routes.find(shown))[0];
    if (!entry) return errorAnswer(INVALID_PARAMS, `There is nothing to complete: ${shown}`);
    const own = "uri" in entry ? entry.uri : entry.name;
    return forwarding.forward(entry.upstream, request, { ...params, ref: { ...ref, [key]: own } });
  }

  async #setLogLevel({ method, params }: RpcRequest): Promise<RpcAnswer> {
    const { upstreams } = this.parts;
    const level = asText(params?.["level"]);
    for (const upstream of upstreams) {
      if (upstream.era === "stateless" && level !== undefined) upstream.setLogLevel(level);
    }
    const able = upstreams.filter(
      ({ isReady, era, capabilities }) => isReady && era === "handshake" && capabilities["logging"],
    );
    const answers = await Promise.all(
      able.map((upstream) => upstream.request(method, params).answer),
    );
    return answers.find((answer) => "error" in answer) ?? { result: {} };
  }

  /** A method that the gateway does not know: only one server can be meant. */
  async #forwardUnknown(request: RpcRequest): Promise<RpcAnswer | undefined> {
    const [only, ...others] = this.parts.upstreams;
    if (only && others.length === 0) {
      return this.parts.forwarding.forward(only, request, request.params);
    }
    return methodNotFound(request.method);
  }
}

function methodNotFound(method: string): RpcAnswer {
  return errorAnswer(METHOD_NOT_FOUND, `Method not found: ${method}`);
}

async function listed(catalog: Catalog): Promise<Params[]> {
  return (await catalog.entries()).map(({ definition, name, shownName }) =>
    name === shownName ? definition : { ...definition, name: shownName },
  );
}

/** A model reads the answer of a tool, while an error may be shown to nobody. */
function explainFailure({ method }: RpcRequest, error: unknown): RpcAnswer {
  const message = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof CallFailedError;
  if (isKnown && method === "tools/call") {
    return { result: { content: [{ type: "text", text: message }], isError: true } };
  }
  return errorAnswer(INTERNAL_ERROR, message, isKnown ? error.code : undefined);
}

/** What servers that are not there yet may turn out to have. */
const ANYTHING: Params = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

const SERVER_INFO: Params = { name: GATEWAY_NAME, version: PACKAGE_VERSION };

/** What the gateway itself has. */
const OWN: Params = { tools: { listChanged: true }, resources: {} };

/** What its servers have together. */
export function mergeCapabilities(upstreams: readonly Upstream[]): Params {
  const ready = upstreams.filter(({ isReady }) => isReady);
  const capabilities = [
    ...ready.map((upstream) => upstream.capabilities),
    ...(ready.length < upstreams.length ? [ANYTHING] : []),
  ];
  return capabilities.reduce(mergeObjects, OWN);
}

function mergeObjects(left: Params, right: Params): Params {
  const merged: Record<string, unknown> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const isBoth = typeof value === "object" && typeof merged[key] === "object";
    merged[key] = isBoth
      ? mergeObjects(asParams(merged[key]), asParams(value))
      : merged[key] === true
        ? true
        : value;
  }
  return merged;
}
