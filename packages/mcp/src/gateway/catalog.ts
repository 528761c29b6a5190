import type { GatewayLimits } from "./gateway-config.js";
import { asList, asParams, asText, type Params } from "./json-rpc.js";
import { findInvalidHeader } from "./parameter-headers.js";
import type { Upstream } from "./upstream.js";

/** What servers list by name. */
export type NamedKind = "tools" | "prompts";

/** A tool or prompt, the server that has it, and the name that the client knows it by. */
export interface CatalogEntry {
  readonly upstream: Upstream;
  /** The server's own name for it. */
  readonly name: string;
  readonly shownName: string;
  readonly definition: Params;
}

const MAX_PAGES = 1_000;

/**
 * The tools or the prompts of all servers under names that differ: their own, and only where two
 * servers use the same one, with the server's name before it.
 */
export class Catalog {
  /** What each server listed last, so that names are stable while a server restarts. */
  readonly #known = new Map<Upstream, readonly Params[]>();
  readonly #listing = new Map<Upstream, Promise<unknown>>();
  /** Until when a list may be kept whose server tells of no changes. */
  readonly #freshUntil = new Map<Upstream, number>();
  #merged: ReadonlyMap<string, CatalogEntry> | undefined;

  constructor(
    private readonly kind: NamedKind,
    private readonly upstreams: readonly Upstream[],
    private readonly limits: Pick<GatewayLimits, "listMs">,
    private readonly reserved: ReadonlySet<string> = new Set(),
  ) {}

  /** Must be called when a server says that its list has changed, and when it was restarted. */
  forget(upstream: Upstream): void {
    this.#listing.delete(upstream);
    this.#freshUntil.delete(upstream);
  }

  /** What all servers have. One that does not answer shows what it listed last. */
  async entries(): Promise<readonly CatalogEntry[]> {
    await Promise.all(this.upstreams.map((upstream) => this.#list(upstream)));
    return [...this.#merge().values()];
  }

  /** Asks servers only for a name that is not known, so that one that hangs harms no other. */
  async find(shownName: string): Promise<CatalogEntry | undefined> {
    const known = this.#merge().get(shownName);
    if (known) return known;
    await this.entries();
    const listed = this.#merge().get(shownName);
    const absent = this.upstreams.filter(({ isReady }) => !isReady);
    if (listed || absent.length === 0) return listed;
    await Promise.allSettled(absent.map((upstream) => upstream.whenReady()));
    await this.entries();
    return this.#merge().get(shownName);
  }

  #merge(): ReadonlyMap<string, CatalogEntry> {
    if (this.#merged) return this.#merged;
    const counts = new Map<unknown, number>();
    for (const { name } of [...this.#known.values()].flat()) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const entries = this.upstreams.flatMap((upstream) =>
      (this.#known.get(upstream) ?? []).map((definition): CatalogEntry => {
        const name = definition["name"] as string;
        const isClash = (counts.get(name) ?? 0) > 1 || this.reserved.has(name);
        const shownName = isClash ? `${upstream.name}__${name}` : name;
        return { upstream, name, shownName, definition };
      }),
    );
    this.#merged = new Map(entries.map((entry) => [entry.shownName, entry]));
    return this.#merged;
  }

  async #list(upstream: Upstream): Promise<void> {
    // Notify the client as soon as a server that is late or restarting is ready.
    if (!upstream.isReady) return;
    if (performance.now() >= (this.#freshUntil.get(upstream) ?? Infinity)) this.forget(upstream);
    let listing = this.#listing.get(upstream);
    if (!listing) {
      listing = this.#fetch(upstream).then(
        (found) => {
          this.#known.set(upstream, found);
          this.#merged = undefined;
        },
        () => {
          this.#listing.delete(upstream);
        },
      );
      this.#listing.set(upstream, listing);
    }
    await listing;
  }

  /** All pages within one deadline. What has come until a server goes astray is used. */
  async #fetch(upstream: Upstream): Promise<readonly Params[]> {
    if (upstream.capabilities[this.kind] === undefined) return [];
    const method = `${this.kind}/list`;
    const endsAt = performance.now() + this.limits.listMs;
    const found = new Map<string, Params>();
    const cursors = new Set<unknown>();
    let page = await upstream.requestSoon(method, undefined);
    let freshMs = Infinity;
    for (;;) {
      for (const item of asList(page[this.kind])) addDefinition(found, asParams(item), upstream);
      freshMs = Math.min(freshMs, Number(page["ttlMs"]) || 0);
      const { nextCursor: cursor } = page;
      if (cursor === undefined || cursor === null) break;
      const left = endsAt - performance.now();
      const isAstray = cursors.has(cursor) || cursors.size >= MAX_PAGES || left <= 0;
      const next = isAstray
        ? undefined
        : await upstream.requestWithin(left, method, { cursor }).catch(() => undefined);
      if (!next) {
        const pages = `its list of ${this.kind} has no end after ${cursors.size + 1} pages`;
        upstream.note(`${pages}; the ${found.size} in them are used`);
        break;
      }
      cursors.add(cursor);
      page = next;
    }
    const isTold = asParams(upstream.capabilities[this.kind])["listChanged"] === true;
    if (upstream.era === "stateless" && !isTold) {
      this.#freshUntil.set(upstream, performance.now() + freshMs);
    }
    return [...found.values()];
  }
}

function addDefinition(found: Map<string, Params>, definition: Params, upstream: Upstream): void {
  const name = asText(definition["name"]);
  if (name === undefined) return;
  const invalid = upstream.hasHeaders ? findInvalidHeader(definition) : undefined;
  if (invalid !== undefined) {
    upstream.note(`its tool ${name} cannot be used: ${invalid}`);
    return;
  }
  try {
    // One that cannot be written, since it is nested too deeply, would cost the client the whole list.
    JSON.stringify(definition);
    found.set(name, definition);
  } catch {
    // The tool cannot be called without its definition either.
  }
}
