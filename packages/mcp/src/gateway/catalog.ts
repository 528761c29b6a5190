import { asList, asParams, asText, type Params } from "./json-rpc.js";
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
  readonly #listing = new Map<Upstream, Promise<readonly Params[]>>();

  constructor(
    private readonly kind: NamedKind,
    private readonly upstreams: readonly Upstream[],
    private readonly reserved: ReadonlySet<string>,
  ) {}

  /** Must be called when a server says that its list has changed, and when it was restarted. */
  forget(upstream: Upstream): void {
    this.#listing.delete(upstream);
  }

  async entries(): Promise<readonly CatalogEntry[]> {
    const lists = await Promise.all(this.upstreams.map((upstream) => this.#list(upstream)));
    const counts = new Map<string, number>();
    for (const { name } of lists.flat())
      counts.set(name as string, (counts.get(name as string) ?? 0) + 1);
    return this.upstreams.flatMap((upstream, index) =>
      (lists[index] ?? []).map((definition) => {
        const name = definition["name"] as string;
        const isClash = (counts.get(name) ?? 0) > 1 || this.reserved.has(name);
        const shownName = isClash ? `${upstream.name}__${name}` : name;
        return { upstream, name, shownName, definition };
      }),
    );
  }

  async find(shownName: string): Promise<CatalogEntry | undefined> {
    return (await this.entries()).find((entry) => entry.shownName === shownName);
  }

  async #list(upstream: Upstream): Promise<readonly Params[]> {
    const listing = this.#listing.get(upstream) ?? this.#fetch(upstream);
    this.#listing.set(upstream, listing);
    try {
      const known = await listing;
      this.#known.set(upstream, known);
      return known;
    } catch {
      if (this.#listing.get(upstream) === listing) this.#listing.delete(upstream);
      return this.#known.get(upstream) ?? [];
    }
  }

  async #fetch(upstream: Upstream): Promise<readonly Params[]> {
    await upstream.whenReady();
    if (upstream.capabilities[this.kind] === undefined) return [];
    const found: Params[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? undefined : { cursor };
      const answer = await upstream.requestSoon(`${this.kind}/list`, params);
      found.push(...asList(answer[this.kind]).map(asParams));
      cursor = answer["nextCursor"];
      if (cursor === undefined) break;
    }
    return found.filter(({ name }) => asText(name) !== undefined);
  }
}
