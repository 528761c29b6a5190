import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import type { NewArtifact, OpenContent } from "../../core/workspace/artifacts/artifact-store.js";

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

/** The fields of metadata that every store knows and filters by; they hold nothing of the content. */
export const NAMED_FIELDS: readonly string[] = [
  ...["context_type", "biz_id", "agent_id", "task_id", "session_id", "tool_name", "action_name"],
];
