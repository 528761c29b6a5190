import { DEFAULTS } from "../defaults.js";
import { type ArtifactRecord, candidateIds } from "../workspace/artifacts/artifact.js";
import type { SessionListing } from "../workspace/artifacts/artifact-store.js";
import { parseReference } from "../workspace/reference/knowledge-list.js";
import type { LocatedResult, StoredResult } from "./located-result.js";
import type { Reference } from "../engine/offload.js";

/** Metadata: the result was replaced by a reference, rather than stored and also kept. */
export const OFFLOADED_KEY = "offloaded_as";

/** The part of a session's listing that an offloader needs. */
export type HeldSession = Pick<SessionListing, "artifacts" | "lastRemoval">;

export const NOTHING_HELD: SessionListing = {
  artifacts: new Map(),
  removed: new Map(),
  children: new Set(),
};

/** Whether the session still holds this content under this id. */
export function isHeld({ artifacts }: HeldSession, artifactId: string, hash: string): boolean {
  return artifacts.get(artifactId)?.hash === hash;
}

/**
 * The artifact that a result refers to: the whole content is a reference that names its own call,
 * and the session holds that artifact with that hash. Anything else that looks like one is content.
 */
export function findReferenced(
  { artifacts }: HeldSession,
  soleText: string | undefined,
  toolCallId: string | undefined,
): ArtifactRecord | undefined {
  const target = parseReference(soleText, toolCallId);
  const record = target && artifacts.get(target.artifactId);
  if (!target || !record?.hash.startsWith(target.hash)) return undefined;
  // A tool that knows the hash could print a list of any length; a reference is a short text.
  const most = Math.max(record.size.chars, DEFAULTS.readChars);
  return (soleText?.length ?? 0) <= most ? record : undefined;
}

/** Whether an earlier call, in this process or another, offloaded this result. */
export function wasOffloaded({ artifacts }: HeldSession, { id, known }: LocatedResult): boolean {
  return candidateIds(id, known.hash).some((candidate) => {
    const record = artifacts.get(candidate);
    return record?.hash === known.hash && record.metadata[OFFLOADED_KEY] === "reference";
  });
}

/** How results are replaced, and which of them are references of this session already. */
export function createReference(session: HeldSession): Reference<StoredResult> {
  return {
    render: (stored) => stored.reference,
    resolve({ soleText, id }) {
      const record = findReferenced(session, soleText, id);
      if (!record || soleText === undefined) return undefined;
      const { artifactId, size } = record;
      return { reference: soleText, referenceTokens: 0, tokens: size.tokens, artifactId };
    },
  };
}
