import type { ByteSource } from "../../lib/text/byte-source.js";
import type { ArtifactMetadata, ArtifactRecord, ArtifactType, TextSize } from "./artifact.js";

/** A content on its way into a store. */
export interface NewArtifact {
  readonly sessionId: string;
  /** The id that it should have; given another when this one holds other content already. */
  readonly wantedId: string | undefined;
  readonly type: ArtifactType;
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
  /**
   * SHA-256 of the content, computed when it is first called; `undefined` for a stream. A store calls
   * it while the system writes, unless it needs the hash for a name.
   */
  readonly hash?: (() => string) | undefined;
  /** Called once, when all of the content has been taken. */
  readonly describe: () => TextSize;
  readonly createdAt: string;
  readonly metadata: ArtifactMetadata;
}

/** What a session holds. */
export interface SessionListing {
  readonly artifacts: ReadonlyMap<string, ArtifactRecord>;
  /** The ids of artifacts that were removed. */
  readonly removed: ReadonlySet<string>;
  /** The sessions that this one may read. */
  readonly children: ReadonlySet<string>;
}

/** Content that is open for reading. */
export interface OpenContent extends ByteSource {
  /** A file descriptor that is open on it until `close`; without one only `read` can read it. */
  readonly fd?: number | undefined;
  close(): Promise<void>;
}

/** What `verify` found, and what it did about it. */
export interface VerifyReport {
  readonly sessions: number;
  readonly artifacts: number;
  readonly bytes: number;
  /** The content is there but is not what was stored. */
  readonly damaged: readonly { sessionId: string; artifactId: string; problem: string }[];
  /** The artifact is listed but its content is not there. */
  readonly missing: readonly { sessionId: string; artifactId: string }[];
  /** Content that no artifact claims: a process ended between writing and listing it. */
  readonly orphaned: readonly string[];
  /** Lines of a manifest that cannot be read. */
  readonly brokenLines: number;
  /** What was deleted, because it was asked for. */
  readonly deleted: readonly string[];
}

export interface VerifyOptions {
  /** Deletes orphaned content that is older than `orphanAgeMs`. Nothing is deleted without it. */
  readonly deleteOrphans?: boolean;
  /** Default one hour: a younger one may be an artifact that is being put this moment. */
  readonly orphanAgeMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Keeps artifacts. When `put` has resolved, a fresh process finds and reads what was put. */
export interface ArtifactStore {
  /** Storing the same content under the same id again gives the artifact that is there. */
  put(artifact: NewArtifact): Promise<ArtifactRecord>;
  /** The ids of all sessions, in a stable order. */
  sessions(): Promise<readonly string[]>;
  listSession(sessionId: string): Promise<SessionListing>;
  open(record: ArtifactRecord): Promise<OpenContent>;
  /** Data made from an artifact that may be lost at any time; kept where the store can keep it. */
  openDerived(
    record: ArtifactRecord,
    name: string,
    make: () => AsyncIterable<Uint8Array>,
  ): Promise<OpenContent>;
  remove(record: ArtifactRecord): Promise<void>;
  /** Lets a session read what its child holds. */
  addChild(sessionId: string, childSessionId: string): Promise<void>;
  verify(options: VerifyOptions): Promise<VerifyReport>;
}
