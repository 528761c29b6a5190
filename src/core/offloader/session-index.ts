import { DEFAULTS } from "../defaults.js";
import {
  type ArtifactRecord,
  candidateIds,
  OFFLOADED_KEY,
} from "../workspace/artifacts/artifact.js";
import type { SessionListing } from "../workspace/artifacts/artifact-store.js";
import { parseReference } from "../workspace/reference/knowledge-list.js";

/** What a session holds, as far as an offloader needs it. */
export type SessionIndex = Pick<SessionListing, "artifacts" | "lastRemoval">;

export const EMPTY_SESSION: SessionListing = {
  artifacts: new Map(),
  removed: new Map(),
  children: new Set(),
};

/** Whether the session still holds this content under this id. */
export function isHeld({ artifacts }: SessionIndex, artifactId: string, hash: string): boolean {
  return artifacts.get(artifactId)?.hash === hash;
}

/**
 * The artifact that a result refers to: the whole content is a reference that names its own call,
 * and the session holds that artifact with that hash. Anything else that looks like one is content.
 */
export function findReferenced(
  { artifacts }: SessionIndex,
  soleText: string | undefined,
  toolCallId: string | undefined,
): ArtifactRecord | undefined {
  const target = parseReference(soleText, toolCallId);
  const record = target && artifacts.get(target.artifactId);
  if (!target || !record?.hash.startsWith(target.hash)) return undefined;
  // A tool that knows the hash could print a list of any length; a reference is a short text.
  const maxChars = Math.max(record.size.chars, DEFAULTS.readChars);
  return (soleText?.length ?? 0) <= maxChars ? record : undefined;
}

/**
 * What an earlier call, in this process or another, stored when it offloaded this content of this call.
 *
 * @param equalBefore - How many results of the same call and content come before it.
 */
export function findOffloaded(
  { artifacts }: SessionIndex,
  toolCallId: string | undefined,
  hash: string,
  equalBefore = 0,
): ArtifactRecord | undefined {
  const candidates = candidateIds(toolCallId, hash);
  // The last one is for results that are equal to an earlier one.
  for (const candidate of equalBefore === 0 ? candidates.slice(0, -1) : candidates.slice(-1)) {
    const record = artifacts.get(candidate);
    if (record?.hash === hash && record.metadata[OFFLOADED_KEY] === "reference") return record;
  }
  return undefined;
}
