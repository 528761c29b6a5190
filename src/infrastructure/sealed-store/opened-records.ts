import type {
  ArtifactStore,
  QueryPage,
  SessionListing,
} from "../../core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";

/** The records of a store as those outside see them, each made when it is first looked at. */
export class OpenedRecords {
  readonly #inners = new WeakMap<ArtifactRecord, ArtifactRecord>();
  readonly #opened = new WeakMap<ArtifactRecord, ArtifactRecord>();
  readonly #inner: ArtifactStore;
  readonly #open: (inner: ArtifactRecord) => ArtifactRecord;

  constructor(inner: ArtifactStore, open: (inner: ArtifactRecord) => ArtifactRecord) {
    this.#inner = inner;
    this.#open = open;
  }

  open(inner: ArtifactRecord): ArtifactRecord {
    const known = this.#opened.get(inner);
    if (known) return known;
    const outer = withoutShown(this.#open(inner));
    this.#opened.set(inner, outer);
    this.#inners.set(outer, inner);
    return outer;
  }

  /** The record of the store. One that is not known may come from an earlier process, or be a copy. */
  async innerOf(outer: ArtifactRecord): Promise<ArtifactRecord> {
    const known = this.#inners.get(outer);
    if (known) return known;
    const { sessionId, artifactId, createdAt } = outer;
    const listed = await this.#find(sessionId, artifactId);
    // It may have been renewed since, which whoever has the old one does not know.
    return listed ? { ...listed, createdAt } : outer;
  }

  async #find(sessionId: string, artifactId: string): Promise<ArtifactRecord | undefined> {
    const query = { sessionId, artifactIds: [artifactId], limit: 1 };
    return this.#inner.find
      ? (await this.#inner.find(query)).artifacts[0]
      : (await this.#inner.listSession(sessionId)).artifacts.get(artifactId);
  }

  listing(listing: SessionListing): SessionListing {
    const artifacts = new OpenedMap(listing.artifacts, (inner) => this.open(inner));
    return { ...listing, artifacts };
  }

  /** The methods of the store that find or remove records by index, where it has them. */
  get byIndex(): Pick<ArtifactStore, "find" | "summarize" | "removeOldest"> {
    const inner = this.#inner;
    const find = inner.find?.bind(inner);
    const summarize = inner.summarize?.bind(inner);
    const removeOldest = inner.removeOldest?.bind(inner);
    return {
      ...(find && {
        find: async (query) => {
          const found = await find(query);
          return { ...found, artifacts: found.artifacts.map((inner) => this.open(inner)) };
        },
      }),
      ...(summarize && { summarize }),
      ...(removeOldest && {
        removeOldest: async (removal) =>
          (await removeOldest(removal)).map((inner) => this.open(inner)),
      }),
    };
  }

  page(page: QueryPage): QueryPage {
    const artifacts = page.artifacts.map((listed) => ({
      record: this.open(listed.record),
      get cursor() {
        return listed.cursor;
      },
    }));
    return { ...page, artifacts };
  }
}

/** Without the digits that references show, where its own hash has them. */
function withoutShown(record: ArtifactRecord): ArtifactRecord {
  const { shownHash, ...rest } = record;
  return shownHash !== undefined && rest.hash.startsWith(shownHash) ? rest : record;
}

/** A map whose values are opened one by one: a session may hold very many, of which few are looked at. */
class OpenedMap<Item extends ArtifactRecord> implements ReadonlyMap<string, Item> {
  readonly #inner: ReadonlyMap<string, Item>;
  readonly #open: (inner: Item) => Item;

  constructor(inner: ReadonlyMap<string, Item>, open: (inner: Item) => Item) {
    this.#inner = inner;
    this.#open = open;
  }

  get size(): number {
    return this.#inner.size;
  }

  get(id: string): Item | undefined {
    const inner = this.#inner.get(id);
    return inner === undefined ? undefined : this.#open(inner);
  }

  has(id: string): boolean {
    return this.#inner.has(id);
  }

  keys(): MapIterator<string> {
    return this.#inner.keys();
  }

  *values(): MapIterator<Item> {
    for (const inner of this.#inner.values()) yield this.#open(inner);
  }

  *entries(): MapIterator<[string, Item]> {
    for (const [id, inner] of this.#inner) yield [id, this.#open(inner)];
  }

  [Symbol.iterator](): MapIterator<[string, Item]> {
    return this.entries();
  }

  forEach(call: (record: Item, id: string, map: ReadonlyMap<string, Item>) => void): void {
    for (const [id, record] of this) call(record, id, this);
  }
}
