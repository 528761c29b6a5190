/** `TEXT` was a string; `JSON` was a value, stored as its compact JSON. */
export type ArtifactType = "TEXT" | "JSON";

/** What is known of an artifact beside its content. The seven named ones are always there. */
export interface ArtifactMetadata {
  readonly context_type: string;
  readonly biz_id: string | null;
  readonly agent_id: string | null;
  readonly task_id: string | null;
  readonly session_id: string | null;
  readonly tool_name: string | null;
  readonly action_name: string | null;
  readonly [key: string]: unknown;
}

/** How large a stored text is. */
export interface TextSize {
  readonly bytes: number;
  /** UTF-16 units, as a string's length. */
  readonly chars: number;
  readonly lines: number;
  /** Lines of the readable view, where they are known and others than those of the stored text. */
  readonly viewLines?: number;
  readonly tokens: number;
}

/** One stored tool result, without its content. */
export interface ArtifactRecord {
  readonly artifactId: string;
  readonly sessionId: string;
  readonly type: ArtifactType;
  readonly size: TextSize;
  /** SHA-256 of the stored bytes. */
  readonly hash: string;
  /** When it was stored, ISO 8601. */
  readonly createdAt: string;
  readonly metadata: ArtifactMetadata;
  /** Where the store keeps it, in the store's own terms. */
  readonly location: string;
}

const HASH_CHARS = 12;

/** The id of a content that came without one. */
export function idOfContent(contentHash: string): string {
  return `unknown-${contentHash.slice(0, 16)}`;
}

/** The ids that a content may take, in order; the next is for when one holds other content. */
export function candidateIds(wantedId: string | undefined, contentHash: string): readonly string[] {
  const id = wantedId ?? idOfContent(contentHash);
  return [id, `${id}-${contentHash.slice(0, HASH_CHARS)}`, `${id}-${contentHash}`];
}

/** True when `artifactId` is what the content of this tool call may have been stored as. */
export function isIdFor(artifactId: string, toolCallId: string | undefined): boolean {
  if (toolCallId === undefined) {
    return /^unknown-[0-9a-f]{16}(?:-(?:[0-9a-f]{12}|[0-9a-f]{64}))?$/.test(artifactId);
  }
  if (artifactId === toolCallId) return true;
  const rest = artifactId.startsWith(toolCallId) ? artifactId.slice(toolCallId.length) : "";
  return /^-(?:[0-9a-f]{12}|[0-9a-f]{64})$/.test(rest);
}
