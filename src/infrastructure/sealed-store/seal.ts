import type { NewArtifact, OpenContent } from "../../core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";

/** What a record says to those who may know it, beyond what the store itself needs. */
export type SealedFields = Pick<ArtifactRecord, "type" | "size" | "hash" | "metadata">;

/** How content and records are stored in another form than they came in. */
export interface Seal {
  /** Whether the store can filter by the named fields only. */
  readonly hidesMetadata: boolean;
  /** The content as it is stored. */
  sealContent(artifact: NewArtifact, hash: string | undefined): SealedContent;
  /** The metadata that the store sees. */
  sealRecord(
    fields: SealedFields,
    sessionId: string,
    contentId: Buffer,
  ): ArtifactRecord["metadata"];
  /** What a record of the store really says. */
  openRecord(inner: ArtifactRecord): SealedFields;
  openContent(inner: ArtifactRecord, sealed: OpenContent): Promise<OpenContent>;
  /** Data derived from content, which says as much as the content itself. */
  sealDerived(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  openDerived(sealed: OpenContent): Promise<OpenContent>;
}

export interface SealedContent {
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
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

/** Metadata: the keyed hash of the content as it came, before anything was redacted. */
const HASH_FIELD = "content_hmac";

/** Content as it is, known by a keyed hash. */
export const keyedSeal: Seal = {
  hidesMetadata: false,
  sealContent: ({ content }) => ({
    ...{ content, contentId: Buffer.alloc(0) },
    storedBytes: (bytes) => bytes,
  }),
  sealRecord: ({ metadata, hash }) => ({ ...metadata, [HASH_FIELD]: hash }),

  openRecord({ type, size, hash, metadata }) {
    const { [HASH_FIELD]: keyed, ...rest } = metadata;
    // What was stored before has a plain hash.
    return {
      ...{ type, size, hash: typeof keyed === "string" ? keyed : hash },
      metadata: rest,
    };
  },

  openContent: (_, sealed) => Promise.resolve(sealed),
  sealDerived: (bytes) => bytes,
  openDerived: (sealed) => Promise.resolve(sealed),
};
