import { UriTemplate } from "@modelcontextprotocol/client";
import { readArtifact, parseArtifactUri } from "../artifact-resources.js";
import type { Forwarding } from "./forwarding.js";
import {
  errorAnswer,
  RESOURCE_NOT_FOUND,
  type Params,
  type RpcAnswer,
  type RpcRequest,
  asList,
  asParams,
  asText,
} from "./json-rpc.js";
import type { Places } from "./places.js";
import { readInputRequest } from "./stateless.js";
import type { Upstream } from "./upstream.js";

/** Reads and subscriptions of the servers' resources, and reads of what was stored. */
export class ResourceRequests {
  readonly #subscriptions = new Map<string, ResourceRoute>();

  constructor(
    private readonly routes: ResourceRoutes,
    private readonly forwarding: Forwarding,
    private readonly places: Places,
  ) {}

  async read(request: RpcRequest, params: Params): Promise<RpcAnswer | undefined> {
    const uri = String(params["uri"]);
    if (parseArtifactUri(uri)) {
      const { workspace, sessionId } = await this.places.of(request);
      return { result: await readArtifact(workspace, uri, { sessionId }) };
    }
    let answer: RpcAnswer | undefined = notFound(uri);
    for (const route of await this.routes.find(uri)) {
      const own = { ...params, uri: route.uri };
      answer = await this.forwarding.forward(route.upstream, request, own);
      // What the client is asked, and the state of that, is this server's alone.
      if (readInputRequest(answer)) this.routes.learn(uri, route);
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
    if (route.upstream.era === "handshake") {
      return this.forwarding.forward(route.upstream, request, { ...params, uri: route.uri });
    }
    this.#listen(route.upstream);
    return { result: {} };
  }

  /** Watches resources for clients without a handshake, or no more. */
  async watch(added: readonly string[], removed: readonly string[]): Promise<void> {
    const changed = new Set<Upstream>();
    const change = (method: string, route: ResourceRoute): void => {
      const { upstream, uri } = route;
      if (upstream.era === "stateless") changed.add(upstream);
      else if (upstream.isReady) void upstream.requestSoon(method, { uri }).catch(() => undefined);
    };
    for (const uri of added) {
      if (this.#subscriptions.has(uri) || parseArtifactUri(uri)) continue;
      const [route] = await this.routes.find(uri);
      if (!route) continue;
      this.#subscriptions.set(uri, route);
      change("resources/subscribe", route);
    }
    for (const uri of removed) {
      const route = this.#subscriptions.get(uri);
      if (this.#subscriptions.delete(uri) && route) change("resources/unsubscribe", route);
    }
    for (const upstream of changed) this.#listen(upstream);
  }

  /** Asks a stateless server to tell of its changes: its lists, and the resources that are watched. */
  #listen(upstream: Upstream): void {
    if (!upstream.isReady) return;
    const tells = (kind: string, what: string): boolean =>
      asParams(upstream.capabilities[kind])[what] === true;
    const uris = [...this.#subscriptions.values()]
      .filter((route) => route.upstream === upstream)
      .map(({ uri }) => uri);
    const wanted = {
      ...(tells("tools", "listChanged") ? { toolsListChanged: true } : {}),
      ...(tells("prompts", "listChanged") ? { promptsListChanged: true } : {}),
      ...(tells("resources", "listChanged") ? { resourcesListChanged: true } : {}),
      ...(tells("resources", "subscribe") && uris.length > 0
        ? { resourceSubscriptions: uris }
        : {}),
    };
    if (Object.keys(wanted).length > 0) upstream.listen(wanted);
  }

  /** Subscribes at a server that was started, perhaps again. */
  resubscribe(upstream: Upstream): void {
    if (upstream.era === "stateless") {
      this.#listen(upstream);
      return;
    }
    for (const route of this.#subscriptions.values()) {
      if (route.upstream !== upstream) continue;
      void upstream.requestSoon("resources/subscribe", { uri: route.uri }).catch(() => undefined);
    }
  }
}

function notFound(uri: string): RpcAnswer {
  return errorAnswer(RESOURCE_NOT_FOUND, `Resource not found: ${uri}`);
}

/** A resource as its server knows it. */
export interface ResourceRoute {
  readonly upstream: Upstream;
  readonly uri: string;
}

/** The two lists of resources, and the field that identifies what is in them. */
const LISTS = {
  resources: { method: "resources/list", key: "uri" },
  resourceTemplates: { method: "resources/templates/list", key: "uriTemplate" },
} as const;
export type ResourceKind = keyof typeof LISTS;

/**
 * Which server has which resource. Resources keep their URIs; of two servers that list the same one,
 * the later has its name before it, as in `files+file:///tmp/a`.
 */
export class ResourceRoutes {
  readonly #routes = new Map<string, ResourceRoute>();
  readonly #templates = new Map<string, ResourceRoute>();

  constructor(private readonly upstreams: readonly Upstream[]) {}

  /** A resource turned out to be a server's. */
  learn(uri: string, route: ResourceRoute): void {
    this.#routes.set(uri, route);
  }

  /** One page: that of one server, and the cursor of its next page or of the next server. */
  async list(kind: ResourceKind, params: Params): Promise<Params> {
    const { method, key } = LISTS[kind];
    const start = parseCursor(params["cursor"]);
    for (let at = start?.server ?? 0; at < this.upstreams.length; at++) {
      const upstream = this.upstreams[at] as Upstream;
      const cursor = at === start?.server ? start.cursor : undefined;
      if (!upstream.isReady || !upstream.capabilities["resources"]) continue;
      const page = await listPage(upstream, method, { ...params, cursor });
      const items = asList(page[kind]).map((item) =>
        this.#show(kind, upstream, asParams(item), key),
      );
      const nextCursor = nextOf(at, page["nextCursor"], this.upstreams.length);
      // `undefined` is not sent.
      return { ...page, [kind]: items, nextCursor };
    }
    return { [kind]: [] };
  }

  /** The servers that may have a resource, the most likely first. */
  async find(uri: string): Promise<readonly ResourceRoute[]> {
    const known = this.#routes.get(uri) ?? this.#templates.get(uri);
    if (known) return [known];
    const able = this.upstreams.filter(({ capabilities }) => capabilities["resources"]);
    const named = able.find(({ name }) => uri.startsWith(`${schemeOf(name)}+`));
    if (named) return [{ upstream: named, uri: uri.slice(schemeOf(named.name).length + 1) }];
    if (able.length > 1 && this.#templates.size === 0) await this.list("resourceTemplates", {});
    const matching = [...this.#templates.values()].find((route) => matches(route.uri, uri));
    const others = able.filter((upstream) => upstream !== matching?.upstream);
    return [...(matching ? [matching.upstream] : []), ...others].map((upstream) => ({
      upstream,
      uri,
    }));
  }

  /** The URI that the client knows a server's resource by. */
  shownUri(upstream: Upstream, uri: string): string {
    const prefixed = `${schemeOf(upstream.name)}+${uri}`;
    return this.#routes.get(prefixed)?.upstream === upstream ? prefixed : uri;
  }

  #show(kind: ResourceKind, upstream: Upstream, item: Params, key: string): Params {
    const uri = asText(item[key]);
    if (uri === undefined) return item;
    const routes = kind === "resources" ? this.#routes : this.#templates;
    const owner = routes.get(uri);
    const shown = owner && owner.upstream !== upstream ? `${schemeOf(upstream.name)}+${uri}` : uri;
    routes.set(shown, { upstream, uri });
    return shown === uri ? item : { ...item, [key]: shown };
  }
}

/** A server that does not answer has an empty page, so that the client need not wait for two of them. */
async function listPage(
  upstream: Upstream,
  method: string,
  { cursor, ...params }: Params,
): Promise<Params> {
  try {
    return await upstream.requestSoon(
      method,
      cursor === undefined ? params : { ...params, cursor },
    );
  } catch {
    return {};
  }
}

function parseCursor(cursor: unknown): { server: number; cursor: string | undefined } | undefined {
  const [, server, rest] = /^(\d+):(.*)$/s.exec(asText(cursor) ?? "") ?? [];
  if (server === undefined) return undefined;
  return { server: Number(server), cursor: rest === "" ? undefined : rest };
}

function nextOf(at: number, cursor: unknown, count: number): string | undefined {
  const next = asText(cursor);
  if (next !== undefined) return `${at}:${next}`;
  return at + 1 < count ? `${at + 1}:` : undefined;
}

/** A server's name as it can stand in the scheme of a URI. */
function schemeOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, "-")
    .replace(/^[^a-z]/, "x$&");
}

function matches(template: string, uri: string): boolean {
  try {
    return new UriTemplate(template).match(uri) !== null;
  } catch {
    return false;
  }
}
