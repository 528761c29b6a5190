import type { ByteSource } from "../../lib/text/byte-source.js";
import type {
  ArtifactMetadata,
  ArtifactRecord,
  ArtifactType,
  TextSize,
  Tombstone,
} from "./artifact.js";

/** Content to be stored. */
export interface NewArtifact {
  readonly sessionId: string;
  /** The id that it should have; it gets another one if this id already holds other content. */
  readonly wantedId: string | undefined;
  readonly type: ArtifactType;
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
  /**
   * SHA-256 of the content, computed on the first call; `undefined` for a stream. A store calls it
   * while the system is writing, unless it needs the hash for a name.
   */
  readonly hash?: (() => string) | undefined;
  /** How large the content is, computed on the first call; called after all of it has been read. */
  readonly size: () => TextSize;
  /**
   * Computes a part of what the caller will need in any case; never throws. A store may call it each
   * time that it waits for its disk.
   */
  readonly computeAhead?: (() => void) | undefined;
  readonly createdAt: string;
  /** To be read after all of the content has been read: it may say something of all of it. */
  readonly metadata: ArtifactMetadata;
  /**
   * The hash that references to it show, for a copy from a workspace that hashes in another way. Handled
   * by what a workspace puts around its store; a store itself can ignore it.
   */
  readonly knownAs?: string | undefined;
  /**
   * The digits of its hash that references show, where the store gets another form of the content; called
   * after all of it has been read. A store keeps them in the record as `shownHash`.
   */
  readonly shownHash?: (() => string) | undefined;
}

/** What a session holds. */
export interface SessionListing {
  readonly artifacts: ReadonlyMap<string, ArtifactRecord>;
  /** What is left of artifacts that were removed, by id, until their tombstones end. */
  readonly removed: ReadonlyMap<string, Tombstone>;
  /** The sessions that this one may read. */
  readonly children: ReadonlySet<string>;
  /** The same object as in an earlier listing only if nothing was removed since; absent if the store cannot tell. */
  readonly lastRemoval?: object | undefined;
}

/** Content that is open for reading. */
export interface OpenContent extends ByteSource {
  /** A file descriptor that is open until `close`; without one, the content can only be read with `read`. */
  readonly fd?: number | undefined;
  /** How many bytes `read` has returned, if the store counts them. */
  readonly bytesRead?: number | undefined;
  /**
   * Compares all of the content with its hash, including what was read so far; throws if it is damaged.
   * Without it, content that is read whole is compared with the hash of its record.
   */
  readonly check?: ((signal?: AbortSignal) => Promise<void>) | undefined;
  close(): Promise<void>;
}

/** What `verify` found, and what it did about it. */
export interface VerifyReport {
  readonly sessions: number;
  readonly artifacts: number;
  readonly bytes: number;
  /** The content exists, but is not what was stored. */
  readonly damaged: readonly { sessionId: string; artifactId: string; problem: string }[];
  /** The artifact is listed, but its content does not exist. */
  readonly missing: readonly { sessionId: string; artifactId: string }[];
  /** Sessions whose manifest or folder cannot be read; nothing else is known of them. */
  readonly unreadable: readonly { folder: string; problem: string }[];
  /** Content without an artifact: a process ended after writing it and before listing it. */
  readonly orphaned: readonly string[];
  /** Lines of a manifest that cannot be read. */
  readonly brokenLines: number;
  /** Orphaned content that was deleted, with `deleteOrphans`. */
  readonly deleted: readonly string[];
  /** With `limit`: pass it as `after` to continue; `undefined` once everything was checked. */
  readonly next?: string | undefined;
}

/** Options of `verify`. */
export interface VerifyOptions {
  /** Delete orphaned content that is older than `orphanAgeMs`. Default false. */
  readonly deleteOrphans?: boolean;
  /** Minimum age of orphaned content to delete; younger content may be about to be listed. Default one hour. */
  readonly orphanAgeMs?: number;
  /** Whether to read all content and compare it with its hash; without it, only lists are compared. Default true. */
  readonly content?: boolean | undefined;
  /** Check at most this many artifacts, and say in `next` where to continue; orphans are looked for at the end. Default: all. */
  readonly limit?: number | undefined;
  /** The `next` of an earlier report, to continue there. */
  readonly after?: string | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Metadata that must be equal; an artifact that lacks one of the fields does not match. */
export type SearchFilter = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Which artifacts to list, and how many. */
export interface ArtifactQuery {
  /** Only artifacts of this session. Default: all sessions, one after the other, in a stable order. */
  readonly sessionId?: string | undefined;
  /** Only artifacts with one of these ids. */
  readonly artifactIds?: readonly string[] | undefined;
  readonly filter?: SearchFilter | undefined;
  /** Not those with this `context_type`. */
  readonly exceptContext?: string | undefined;
  /** The newest first, by `createdAt`. Default: in the order in which the artifacts of each session were stored. */
  readonly newestFirst?: boolean | undefined;
  /** The cursor of the artifact to continue after, from a listing in the same order. It stays valid when artifacts are added or removed. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Also count the artifacts that come after this page. */
  readonly countRest?: boolean | undefined;
}

/** A page of a listing. */
export interface QueryPage {
  /** At most `limit`, and fewer only at the end. */
  readonly artifacts: readonly ListedArtifact[];
  /** How many come after this page, if `countRest` was set. */
  readonly leftOut?: number | undefined;
}

/** An artifact of a listing. */
export interface ListedArtifact {
  readonly record: ArtifactRecord;
  /** Where the listing continues after this artifact. */
  readonly cursor: string;
}

/** What a session holds altogether. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly artifacts: number;
  readonly bytes: number;
  /** When the last artifact was stored, ISO 8601. */
  readonly lastWrittenAt: string;
}

/** Which summaries to return, in the order of `sessions`. */
export interface SummaryQuery {
  /** Continue after this session. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Which artifacts to look up by id. */
export interface IdQuery {
  readonly artifactIds: readonly string[];
  /** Only of this session. Default: of all sessions. */
  readonly sessionId?: string | undefined;
  readonly limit: number;
}

/** What was found by id. */
export interface FoundArtifacts {
  readonly artifacts: readonly ArtifactRecord[];
  /** Whether one with such an id was removed, and its tombstone is there. */
  readonly wasRemoved: boolean;
}

/** What is kept of a namespace, or of a session. */
export interface KeptLimits {
  /** Maximum size of all content together, in bytes. */
  readonly maxBytes?: number | undefined;
  /** Maximum number of artifacts. */
  readonly maxArtifacts?: number | undefined;
}

/** Which artifacts are too many or too old. Times are ISO 8601 and compared with `createdAt`. */
export interface RemovalLimits extends KeptLimits {
  /** What is older is removed. */
  readonly olderThan?: string | undefined;
  /** What each session may hold, besides. */
  readonly perSession?: KeptLimits | undefined;
  /** What was created then or later is kept, whatever the limits say. */
  readonly keepSince: string;
}

/** What to remove at once. */
export interface Removal {
  /** Only of this session. Default: of all sessions. */
  readonly sessionId?: string | undefined;
  /** Only what is beyond these limits. Default: everything. */
  readonly beyond?: RemovalLimits | undefined;
  /** With limits: nothing, if another host is doing the same. Default false. */
  readonly alone?: boolean | undefined;
  readonly limit: number;
}

/**
 * Stores the artifacts of one namespace. Once `put` has resolved, a fresh process can find and read
 * what was put. `storeSuite` of `context-offload/testing` checks all of this.
 */
export interface ArtifactStore {
  /**
   * Stores content under the first of `candidateIds` that is free. Storing the same content under
   * the same id again renews the existing artifact and returns it.
   */
  put(artifact: NewArtifact): Promise<ArtifactRecord>;
  /**
   * Gives an artifact a later `createdAt`, since it was handed out again. Like an artifact that was just
   * stored, it is then the last of its session. A time that is not much later changes nothing, and need
   * not be written.
   *
   * @returns The artifact as it is now; `undefined` if it is no longer there.
   */
  renew(record: ArtifactRecord, createdAt: string): Promise<ArtifactRecord | undefined>;
  /** The ids of all sessions, in a stable order. */
  sessions(): Promise<readonly string[]>;
  /** What one session holds, in the order in which it was last stored; must not depend on the other sessions. */
  listSession(sessionId: string): Promise<SessionListing>;
  /**
   * Lists in pages, by index: for sessions and namespaces that are too large to be listed whole.
   * Without it, listings are made from `sessions` and `listSession`.
   */
  query?(query: ArtifactQuery): Promise<QueryPage>;
  /**
   * Finds artifacts by id and index. An artifact that is found is most likely opened next, so that a store
   * may fetch the start of its content along. Without it, sessions are listed.
   */
  find?(query: IdQuery): Promise<FoundArtifacts>;
  /** What sessions hold, of those that hold something. Without it, they are listed one by one. */
  summarize?(query: SummaryQuery): Promise<readonly SessionSummary[]>;
  /**
   * Removes the oldest artifacts, by index and in one go, whatever was renewed since: an answer of fewer
   * than `limit` is the last one. Without it, artifacts are listed and removed one by one.
   */
  removeOldest?(removal: Removal): Promise<readonly ArtifactRecord[]>;
  /** Opens the content, which is read in ranges. Throws an `ArtifactGoneError` if it is not there. */
  open(record: ArtifactRecord): Promise<OpenContent>;
  /** Data derived from an artifact: a cache that may be lost at any time, kept if the store can keep it. */
  openDerived(
    record: ArtifactRecord,
    name: string,
    make: () => AsyncIterable<Uint8Array>,
  ): Promise<OpenContent>;
  /**
   * Writes the readable text of an artifact where an agent can read it by path, and returns that path;
   * the content itself is kept as it is. Absent in a store that has no paths.
   */
  writeReadable?(record: ArtifactRecord, text: AsyncIterable<Uint8Array>): Promise<string>;
  /**
   * Removes an artifact and its readable text, unless it was renewed since this record was listed:
   * whoever renewed it relies on it. A tombstone is left for `DEFAULTS.tombstoneMs`, and nothing else.
   */
  remove(record: ArtifactRecord): Promise<void>;
  /** Removes a session, or the whole namespace, with names and tombstones: nothing of it is left. */
  purge(sessionId?: string): Promise<{ readonly artifacts: number }>;
  /** Lets a session read what its child holds. */
  addChild(sessionId: string, childSessionId: string): Promise<void>;
  verify(options: VerifyOptions): Promise<VerifyReport>;
  /** Closes what the store itself has opened, never a client that was passed in. */
  close?(): void | Promise<void>;
}

/** Opens the part of a store that belongs to one namespace. This is what `createWorkspace` takes as `store`. */
export type OpenStore = (namespace: string) => ArtifactStore;

/** Called after a read: content of which everything was read must be what was stored. */
export async function checkIfWhole(
  { bytesRead = 0, size, check }: OpenContent,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (bytesRead >= size) await check?.(signal);
}

/** Bytes in memory as open content, where there is no file to read. */
export function memoryContent(bytes: Uint8Array): OpenContent {
  return {
    size: bytes.length,
    read: (start, end) => Promise.resolve(bytes.subarray(start, end)),
    close: () => Promise.resolve(),
  };
}

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
export interface MetadataStore
  extends
    Pick<ArtifactStore, "sessions" | "listSession" | "renew" | "addChild" | "close">,
    Required<Pick<ArtifactStore, "query" | "find" | "summarize" | "removeOldest">> {
  /**
   * Adds a record under the first of its ids that is free, also between processes. If that id holds
   * the same content, the existing record is renewed and returned, so that adding twice is adding once.
   */
  add(record: NewRecord): Promise<ArtifactRecord>;
  /**
   * Removes the record, if it is still the one at this location and was not renewed.
   *
   * @returns Whether nothing refers to this location any more.
   */
  remove(record: ArtifactRecord): Promise<boolean>;
  /** Removes what is left of a session, or of the namespace, once its artifacts are removed: names and tombstones. */
  forget(sessionId?: string): Promise<void>;
  /** Removes tombstones that have ended, and sessions that hold nothing any more. */
  sweep(): Promise<void>;
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
  /** Removes content, all of it in as few requests as possible; keys that do not exist are ignored. */
  remove(keys: readonly string[]): Promise<void>;
  /**
   * The keys in this namespace that come after this one, in a stable order, and when each was written; also
   * of content whose writing never ended.
   */
  keys(after: string, limit: number): Promise<readonly { key: string; writtenAt: number }[]>;
  close?(): void | Promise<void>;
}
