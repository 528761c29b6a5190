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
  readonly #inner: Pick<ArtifactStore, "listSession">;
  readonly #open: (inner: ArtifactRecord) => ArtifactRecord;

  constructor(
    inner: Pick<ArtifactStore, "listSession">,
    open: (inner: ArtifactRecord) => ArtifactRecord,
  ) {
    this.#inner = inner;
    this.#open = open;
  }

  open(inner: ArtifactRecord): ArtifactRecord {
    const known = this.#opened.get(inner);
    if (known) return known;
    const outer = this.#open(inner);
    this.#opened.set(inner, outer);
    this.#inners.set(outer, inner);
    return outer;
  }

  /** The record of the store. One that is not known may come from an earlier process, or be a copy. */
  async innerOf(outer: ArtifactRecord): Promise<ArtifactRecord> {
    const known = this.#inners.get(outer);
    if (known) return known;
    const { sessionId, artifactId, createdAt } = outer;
    const listed = (await this.#inner.listSession(sessionId)).artifacts.get(artifactId);
    // It may have been renewed since, which whoever has the old one does not know.
    return listed ? { ...listed, createdAt } : outer;
  }

  listing(listing: SessionListing): SessionListing {
    return { ...listing, artifacts: new OpenedMap(listing.artifacts, (inner) => this.open(inner)) };
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

/** A map whose values are opened one by one: a session may hold very many, of which few are looked at. */
class OpenedMap implements ReadonlyMap<string, ArtifactRecord> {
  readonly #inner: ReadonlyMap<string, ArtifactRecord>;
  readonly #open: (inner: ArtifactRecord) => ArtifactRecord;

  constructor(
    inner: ReadonlyMap<string, ArtifactRecord>,
    open: (inner: ArtifactRecord) => ArtifactRecord,
  ) {
    this.#inner = inner;
    this.#open = open;
  }

  get size(): number {
    return this.#inner.size;
  }

  get(id: string): ArtifactRecord | undefined {
    const inner = this.#inner.get(id);
    return inner && this.#open(inner);
  }

  has(id: string): boolean {
    return this.#inner.has(id);
  }

  keys(): MapIterator<string> {
    return this.#inner.keys();
  }

  *values(): MapIterator<ArtifactRecord> {
    for (const inner of this.#inner.values()) yield this.#open(inner);
  }

  *entries(): MapIterator<[string, ArtifactRecord]> {
    for (const [id, inner] of this.#inner) yield [id, this.#open(inner)];
  }

  [Symbol.iterator](): MapIterator<[string, ArtifactRecord]> {
    return this.entries();
  }

  forEach(
    call: (record: ArtifactRecord, id: string, map: ReadonlyMap<string, ArtifactRecord>) => void,
  ): void {
    for (const [id, record] of this) call(record, id, this);
  }
}
