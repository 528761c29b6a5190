import type {
  ArtifactQuery,
  NewArtifact,
  OpenContent,
} from "../../core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import { openKnownHash, withKnownHash } from "./known-hash.js";

/** Where something sealed belongs, within its namespace; moved elsewhere, it cannot be opened. */
export type Place = Pick<ArtifactRecord, "sessionId" | "artifactId">;

/** What a record says to those who may know it, beyond what the store itself needs. */
export type SealedFields = Pick<ArtifactRecord, "type" | "size" | "hash" | "metadata">;

/** How content and records are stored in another form than they came in. */
export interface Seal {
  sealContent(content: NewArtifact["content"], place: Place): SealedContent;
  /** What the store sees of a record. */
  sealRecord(
    fields: SealedFields,
    place: Place,
    contentId: Buffer,
  ): Pick<ArtifactRecord, "size" | "metadata">;
  /** The type that the store sees. */
  sealType(type: ArtifactRecord["type"]): ArtifactRecord["type"];
  /** What a record of the store really says. */
  openRecord(inner: ArtifactRecord): SealedFields;
  openContent(inner: ArtifactRecord, sealed: OpenContent): Promise<OpenContent>;
  /** Data derived from content, which says as much as the content itself. */
  sealDerived(
    bytes: AsyncIterable<Uint8Array>,
    record: ArtifactRecord,
    name: string,
  ): AsyncIterable<Uint8Array>;
  openDerived(sealed: OpenContent, record: ArtifactRecord, name: string): Promise<OpenContent>;
  /** The name of a session that another one may read, as the store sees it. */
  sealChild(childSessionId: string, sessionId: string): string;
  openChild(sealed: string, sessionId: string): string;
  /** Whether the store can tell which artifacts match. */
  canQuery(query: ArtifactQuery): boolean;
}

export interface SealedContent {
  readonly content: NewArtifact["content"];
  /** What binds the record to its content. */
  readonly contentId: Buffer;
  /** How many bytes are stored for so many of content. */
  storedBytes(bytes: number): number;
}

/** The bytes are not what was written, or not with this key. */
export class TamperedError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = "TamperedError";
  }
}

/** Content as it is, known by a keyed hash. */
export const keyedSeal: Seal = {
  sealContent: (content) => ({
    ...{ content, contentId: Buffer.alloc(0) },
    storedBytes: (bytes) => bytes,
  }),
  sealRecord: ({ size, metadata, hash }) => ({ size, metadata: withKnownHash(metadata, hash) }),
  sealType: (type) => type,
  openRecord: openKnownHash,
  openContent: (_, sealed) => Promise.resolve(sealed),
  sealDerived: (bytes) => bytes,
  openDerived: (sealed) => Promise.resolve(sealed),
  sealChild: (childSessionId) => childSessionId,
  openChild: (sealed) => sealed,
  canQuery: () => true,
};
