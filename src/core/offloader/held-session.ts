import { type ArtifactRecord, candidateIds } from "../workspace/artifacts/artifact.js";
import type { SessionListing } from "../workspace/artifacts/artifact-store.js";
import { parseReference } from "../workspace/reference/knowledge-list.js";
import type { LocatedResult } from "./located-result.js";

/** Metadata: a reference took the place of the result, rather than being stored beside it. */
export const OFFLOADED_KEY = "offloaded_as";

/** Metadata: the format's own part of a result. */
export const WRAPPING_KEY = "format_wrapping";

/** What the session holds, as far as an offloader has to know. */
export type HeldSession = Pick<SessionListing, "artifacts">;

export const NOTHING_HELD: HeldSession = { artifacts: new Map() };

/** Whether the session still holds this content under this id. */
export function isHeld({ artifacts }: HeldSession, artifactId: string, hash: string): boolean {
  return artifacts.get(artifactId)?.hash === hash;
}

/**
 * The artifact that a result refers to: the content is a reference as a whole, names its own call,
 * and the session holds that artifact with that hash. Whatever else looks like one is content.
 */
export function findReferenced(
  { artifacts }: HeldSession,
  soleText: string | undefined,
  toolCallId: string | undefined,
): ArtifactRecord | undefined {
  const target = parseReference(soleText, toolCallId);
  const record = target && artifacts.get(target.artifactId);
  return target && record?.hash.startsWith(target.hash) ? record : undefined;
}

/** Whether an earlier call, of this process or of another, offloaded this result. */
export function wasOffloaded({ artifacts }: HeldSession, { id, known }: LocatedResult): boolean {
  return candidateIds(id, known.hash).some((candidate) => {
    const record = artifacts.get(candidate);
    return record?.hash === known.hash && record.metadata[OFFLOADED_KEY] === "reference";
  });
}
