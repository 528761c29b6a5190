import type { Workspace } from "context-offload";
import { readArtifact, type ArtifactScope } from "../artifact-resources.js";
import { parseArtifactUri } from "../artifact-uri.js";
import type { Forwarding } from "./forwarding.js";
import {
  errorAnswer,
  RESOURCE_NOT_FOUND,
  type Params,
  type RpcAnswer,
  type RpcRequest,
} from "./json-rpc.js";
import type { ResourceRoute, ResourceRoutes } from "./resource-routes.js";
import type { Upstream } from "./upstream.js";

/** Reads and subscriptions of the servers' resources, and reads of what was stored. */
export class ResourceRequests {
  readonly #subscriptions = new Map<string, ResourceRoute>();

  constructor(
    private readonly routes: ResourceRoutes,
    private readonly forwarding: Forwarding,
    private readonly workspace: Workspace,
    private readonly scope: ArtifactScope,
  ) {}

  async read(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined> {
    const uri = String(params["uri"]);
    if (parseArtifactUri(uri))
      return { result: await readArtifact(this.workspace, uri, this.scope) };
    let answer: RpcAnswer | undefined = notFound(uri);
    for (const route of await this.routes.find(uri)) {
      const own = { ...params, uri: route.uri };
      answer = await this.forwarding.forward(route.upstream, request, own);
      if (!answer || "result" in answer) break;
    }
    return answer;
  }

  /** `resources/subscribe` and `resources/unsubscribe`. */
  async subscribe(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined> {
    const uri = String(params["uri"]);
    // What is stored never changes.
    if (parseArtifactUri(uri)) return { result: {} };
    const [route] = await this.routes.find(uri);
    if (!route) return notFound(uri);
    if (request.method === "resources/subscribe") this.#subscriptions.set(uri, route);
    else this.#subscriptions.delete(uri);
    return this.forwarding.forward(route.upstream, request, { ...params, uri: route.uri });
  }

  /** Subscribes again at a server that was restarted. */
  resubscribe(upstream: Upstream): void {
    for (const route of this.#subscriptions.values()) {
      if (route.upstream !== upstream) continue;
      void upstream.requestSoon("resources/subscribe", { uri: route.uri }).catch(() => undefined);
    }
  }
}

function notFound(uri: string): RpcAnswer {
  return errorAnswer(RESOURCE_NOT_FOUND, `Resource not found: ${uri}`);
}
