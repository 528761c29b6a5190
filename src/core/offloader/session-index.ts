import { DEFAULTS } from "../defaults.js";
import {
  type ArtifactRecord,
  candidateIds,
  CALL_KEY,
  completeMetadata,
  OFFLOADED_KEY,
  type Tombstone,
} from "../workspace/artifacts/artifact.js";
import type { SessionListing } from "../workspace/artifacts/artifact-store.js";
import type { FormatResult } from "../engine/format.js";
import { parseReference } from "../workspace/reference/knowledge-list.js";
import { storedMark, type Place } from "./reference-place.js";

/** What a session holds, as far as an offloader needs it. */
export type SessionIndex = Pick<SessionListing, "artifacts" | "removed" | "lastRemoval">;

export const EMPTY_SESSION: SessionListing = {
  artifacts: new Map(),
  removed: new Map(),
  children: new Set(),
};

/** Whether the session still holds this content under this id. */
export function isHeld({ artifacts }: SessionIndex, artifactId: string, hash: string): boolean {
  return artifacts.get(artifactId)?.hash === hash;
}

/** What decides about whether a result is a reference. */
export interface Referring extends Pick<FormatResult, "id" | "soleText"> {
  readonly place?: Place | undefined;
}

/** What a reference stands for. */
export interface Referenced {
  /** Of what is gone, nothing but the id and the digits that references show. */
  readonly record: ArtifactRecord;
  /** Whether the session held it once, and holds it no more. */
  readonly isGone: boolean;
  /** Whether nothing shows that it is in its place: its call was dropped, and it has no id. It is left alone. */
  readonly isUnplaced?: boolean;
}

/**
 * What a result refers to: the whole content is a reference that names its own call, the session holds
 * or held that artifact with that hash, and the result is in the place that the reference was made for.
 * Anything else that looks like one is content.
 */
export function findReferenced(
  session: SessionIndex,
  { soleText, id, place }: Referring,
): Referenced | undefined {
  const target = parseReference(soleText, id);
  const found = target && findOnceHeld(session, target);
  if (!found) return undefined;
  if (found.isGone && place?.isQuotation) return undefined;
  const { size, metadata } = found.record;
  // A tool that knows the hash could print a list of any length; a reference is a short text.
  if ((soleText?.length ?? 0) > Math.max(size.chars, DEFAULTS.readChars)) return undefined;
  const { [CALL_KEY]: mark } = metadata;
  // What was stored without its call is bound to its content; what the host has dropped the call of, to its id.
  const isBound = typeof mark === "string";
  if (place?.call !== undefined) {
    return !isBound || (!place.isQuotation && place.call.startsWith(mark)) ? found : undefined;
  }
  if (isBound && id !== undefined) return found;
  if (place?.isQuotation) return undefined;
  return isBound ? { ...found, isUnplaced: true } : found;
}

/** The artifact with this id and these digits of its hash, also if it was removed. */
export function findOnceHeld(
  { artifacts, removed }: SessionIndex,
  { artifactId, hash }: { readonly artifactId: string; readonly hash: string },
): Referenced | undefined {
  const record = artifacts.get(artifactId);
  // Without its key nothing shows the hash of an artifact; reading it says so.
  if (record && (record.hash === "" || record.hash.startsWith(hash))) {
    return { record, isGone: false };
  }
  const gone = removed.get(artifactId);
  return gone?.shownHash === hash ? { record: goneRecord(gone), isGone: true } : undefined;
}

function goneRecord({ artifactId, shownHash }: Tombstone): ArtifactRecord {
  return {
    ...{ artifactId, sessionId: "", type: "TEXT", hash: shownHash, createdAt: "", location: "" },
    size: { bytes: 0, chars: 0, lines: 0, tokens: 0 },
    metadata: completeMetadata({}, artifactId, undefined),
  };
}

/** Whether a record may belong to this call. */
export function isOfCall({ metadata }: ArtifactRecord, mark: string | undefined): boolean {
  const { [CALL_KEY]: own } = metadata;
  return mark === undefined || typeof own !== "string" || own === mark;
}

/**
 * What an earlier call, in this process or another, stored when it offloaded this content of this call.
 *
 * @param twinId - The id that it has where so many equal ones come before it; `undefined` for none.
 * @param variants - The ids that it has where another call had the same content.
 */
export function findStored(
  { artifacts }: SessionIndex,
  { id, hash, place }: Pick<Referring, "id" | "place"> & { readonly hash: string },
  twinId: string | undefined,
  variants: () => readonly string[],
): ArtifactRecord | undefined {
  const candidates = candidateIds(id, hash);
  // The last one is for results that are equal to an earlier one.
  const ids = twinId === undefined ? candidates.slice(0, -1) : [twinId];
  const isStored = (record: ArtifactRecord | undefined): record is ArtifactRecord =>
    record?.hash === hash &&
    record.metadata[OFFLOADED_KEY] === "reference" &&
    isOfCall(record, storedMark(place));
  const found = ids.map((candidate) => artifacts.get(candidate)).find(isStored);
  if (found || !candidates.some((candidate) => artifacts.has(candidate))) return found;
  return variants()
    .map((variant) => artifacts.get(variant))
    .find(isStored);
}
