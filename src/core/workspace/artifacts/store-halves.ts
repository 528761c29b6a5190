import type { ArtifactRecord } from "./artifact.js";
import type { ArtifactStore, OpenContent } from "./artifact-store.js";

/**
 * The two halves of a store whose bytes and metadata live apart, for `joinStores`. Content is written
 * first, under a key that nobody else uses; then its record is added. An artifact exists once its
 * record does.
 */

/** A record that gets the first of these ids that is free. */
export interface NewRecord extends Omit<ArtifactRecord, "artifactId"> {
  readonly candidateIds: readonly string[];
}

/** The half that knows what exists, for one namespace. */
export interface MetadataStore extends Pick<
  ArtifactStore,
  "sessions" | "listSession" | "addChild" | "close"
> {
  query: NonNullable<ArtifactStore["query"]>;
  /**
   * Adds a record under the first of its ids that is free, also between processes. Returns the
   * existing record if that id holds the same content, so that adding twice is adding once.
   */
  add(record: NewRecord): Promise<ArtifactRecord>;
  /** Removes the record, if it is still the one at this location. */
  remove(record: ArtifactRecord): Promise<void>;
}

/** The half that holds the bytes, for one namespace. Keys are plain: letters, digits, `-`, `/` and `.`. */
export interface ContentStore {
  /** Writes content that can be opened only once all of it is there. Writing it again replaces it. */
  write(key: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Opens content for reading in ranges; `undefined` if there is none.
   *
   * @param bytes - How long it should be, if that is known.
   */
  open(key: string, bytes?: number): Promise<OpenContent | undefined>;
  /** Removes all content whose key starts like this. */
  removeAll(prefix: string): Promise<void>;
  /** The keys in this namespace that come after this one, in a stable order, and when each was written. */
  keys(after: string, limit: number): Promise<readonly { key: string; writtenAt: number }[]>;
  close?(): void | Promise<void>;
}
