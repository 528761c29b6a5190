import { setTimeout as sleep } from "node:timers/promises";
import type { Workspace } from "context-offload";
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
  type Params,
  type RpcAnswer,
  type RpcRequest,
} from "./json-rpc.js";
import type { ResourceRequests, ResourceRoutes } from "./resources.js";
import { GATEWAY_NAME, type ToolCalls } from "./tool-calls.js";
import { CallFailedError, type Upstream } from "./upstream.js";

/** What the requests of a client are answered with. */
export interface ClientRequestParts {
  readonly upstreams: readonly Upstream[];
  readonly tools: Catalog;
  readonly prompts: Catalog;
  readonly routes: ResourceRoutes;
  readonly resources: ResourceRequests;
  readonly calls: ToolCalls;
  readonly toolbox: Toolbox;
  readonly forwarding: Forwarding;
  readonly workspace: Workspace;
  readonly limits: GatewayLimits;
  readonly isOff: () => Promise<boolean>;
}

/** Answers the requests of the client, by one server or by what several answer together. */
export class ClientRequests {
  /** The protocol version that was announced to the client. */
  protocolVersion = "";
  #logLevel: Params | undefined;

  constructor(private readonly parts: ClientRequestParts) {}

  /** Never rejects, and does not wait for longer than `callMs`; `undefined` if the request was cancelled. */
  async answer(request: RpcRequest): Promise<RpcAnswer | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(this.#giveUp(request));
      }, this.parts.limits.callMs);
    });
    try {
      return await Promise.race([this.#route(request), late]);
    } catch (error) {
      return explainFailure(request, error);
    } finally {
      clearTimeout(timer);
    }
  }

  #giveUp({ id, method }: RpcRequest): CallFailedError {
    const { limits, forwarding } = this.parts;
    const reason = `There was no answer to ${method} within ${limits.callMs} ms (callMs)`;
    const cancelled = { requestId: id, reason };
    // After the rejection, so that the client gets the error.
    setImmediate(() => {
      forwarding.cancel(cancelled);
    });
    return new CallFailedError(`${reason}. It was cancelled.`, "CALL_TIMED_OUT");
  }

  /** Brings a server that was started late or again to where the client believes it is. */
  restore(upstream: Upstream): void {
    this.parts.resources.resubscribe(upstream);
    if (!this.#logLevel || !upstream.capabilities["logging"]) return;
    void upstream.requestSoon("logging/setLevel", this.#logLevel).catch(() => undefined);
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
    const { upstreams, limits, isOff, workspace } = this.parts;
    const starts = upstreams.map((upstream) => upstream.start(hello));
    const patience = sleep(limits.patienceMs, undefined, { ref: false });
    await Promise.race([Promise.allSettled(starts), patience]);
    // Clients wait only for some seconds, but without any server there is nothing to tell them.
    try {
      await Promise.any(starts);
    } catch (error) {
      const reasons = (error as AggregateError).errors.map((reason) => (reason as Error).message);
      return errorAnswer(INTERNAL_ERROR, reasons.join(" "));
    }
    const instructions = (await isOff()) ? "" : workspace.systemPrompt();
    const serverInfo = { name: GATEWAY_NAME, version: PACKAGE_VERSION };
    const result = mergeInitialize(upstreams, hello, { serverInfo, instructions });
    this.protocolVersion = asText(result["protocolVersion"]) ?? "";
    return { result };
  }

  /** Our reading tools can be called while offloading is switched off, but they are not shown. */
  async #listTools(): Promise<readonly Params[]> {
    const { tools, toolbox, isOff } = this.parts;
    return [...(await listed(tools)), ...((await isOff()) ? [] : toolbox.tools)];
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
    const able = this.parts.upstreams.filter(
      (upstream) => upstream.isReady && upstream.capabilities["logging"],
    );
    const answers = await Promise.all(
      able.map((upstream) => upstream.request(method, params).answer),
    );
    return answers.find((answer) => "error" in answer) ?? { result: {} };
  }

  /** A method that the gateway does not know: only one server can be meant. */
  async #forwardUnknown(request: RpcRequest): Promise<RpcAnswer | undefined> {
    const [only, ...others] = this.parts.upstreams;
    // A client of 2026 asks this first, and goes on with `initialize` if it is not known.
    const isProbe = request.method === "server/discover";
    if (only && others.length === 0 && !isProbe) {
      return this.parts.forwarding.forward(only, request, request.params);
    }
    return errorAnswer(METHOD_NOT_FOUND, `Method not found: ${request.method}`);
  }
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

/** What the gateway itself has. */
const OWN: Params = { tools: { listChanged: true }, resources: {} };

/** The gateway's answer to `initialize`: what its servers have together. */
export function mergeInitialize(
  upstreams: readonly Upstream[],
  hello: Params,
  own: { readonly serverInfo: Params; readonly instructions: string },
): Params {
  const ready = upstreams.filter(({ isReady }) => isReady);
  const capabilities = [
    ...ready.map((upstream) => upstream.capabilities),
    ...(ready.length < upstreams.length ? [ANYTHING] : []),
  ];
  const versions = ready.flatMap(
    ({ initialized }) => asText(initialized?.["protocolVersion"]) ?? [],
  );
  const asked = asText(hello["protocolVersion"]) ?? "";
  const instructions = ready.map(({ initialized }) => asText(initialized?.["instructions"]) ?? "");
  return {
    // The oldest, so that no server gets what it does not know; versions are dates.
    protocolVersion: versions.sort()[0] ?? asked,
    capabilities: capabilities.reduce(mergeObjects, OWN),
    serverInfo: own.serverInfo,
    instructions: [...instructions, own.instructions].filter((text) => text !== "").join("\n\n"),
  };
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
