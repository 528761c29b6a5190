import { MAX_NAMES, nearestNames } from "../../lib/text/nearest-names.js";
import { HIDDEN_CONTEXT, SHOWN_HASH_DIGITS, type ArtifactRecord } from "./artifact.js";
import type { ArtifactStore, SessionListing } from "./artifact-store.js";
import {
  AmbiguousArtifactError,
  ArtifactGoneError,
  UnknownArtifactError,
} from "../../errors/reading-errors.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { requireText } from "../../arguments.js";

const NEAREST_SHOWN = 5;

/** The sessions that a session may read: itself, its children and theirs. All sessions when none is given. */
export async function visibleSessions(
  store: ArtifactStore,
  sessionId: unknown,
): Promise<readonly string[]> {
  if (sessionId === undefined) return store.sessions();
  if (typeof sessionId !== "string") {
    throw new InvalidArgumentError("sessionId", sessionId, "a string");
  }
  const seen = new Set([sessionId]);
  for (const id of seen) {
    // A set that grows while it is iterated also reaches the children's children.
    for (const child of (await store.listSession(id)).children) seen.add(child);
  }
  return [...seen];
}

/** Finds an artifact among those that the session may read; throws an error that says why there is none. */
export async function findArtifact(
  store: ArtifactStore,
  artifactId: unknown,
  sessionId: string | undefined,
): Promise<ArtifactRecord> {
  const id = requireText("artifactId", artifactId, "the id in the reference");
  try {
    return await findById(store, id, sessionId);
  } catch (error) {
    const [, plainId, hash] = WITH_HASH.exec(id) ?? [];
    if (plainId === undefined || hash === undefined) throw error;
    if (!(error instanceof UnknownArtifactError)) throw error;
    return findById(store, plainId, sessionId, hash);
  }
}

/** An id with the hash that its reference shows, which tells apart those of the same id in several sessions. */
const WITH_HASH = /^([^]+)#([0-9a-f]{8})\s*$/;

async function findById(
  store: ArtifactStore,
  id: string,
  sessionId: string | undefined,
  hash = "",
): Promise<ArtifactRecord> {
  if (sessionId === undefined && store.query)
    return findAnywhere(store.query.bind(store), id, hash);
  const found: ArtifactRecord[] = [];
  const listings: SessionListing[] = [];
  let removed: ArtifactRecord | null | undefined;
  for (const session of await visibleSessions(store, sessionId)) {
    const contents = await store.listSession(session);
    // Models put blanks around ids.
    const named = contents.artifacts.get(id) ?? contents.artifacts.get(id.trim());
    const record = named?.hash.startsWith(hash) ? named : undefined;
    // A session's own artifact comes before those of its children.
    if (record && session === sessionId) return record;
    if (record) found.push(record);
    // `null` is a removed artifact of which nothing more is known.
    else if (removed === undefined) {
      removed = contents.removed.get(contents.removed.has(id) ? id : id.trim());
    }
    listings.push(contents);
  }
  const only = soleRecord(id, found);
  if (only) return only;
  if (removed !== undefined) {
    throw new ArtifactGoneError(id, "removed", removed?.metadata.tool_name ?? null);
  }
  const others = listings.flatMap(({ artifacts }) =>
    [...artifacts.values()]
      .filter(({ metadata }) => metadata.context_type !== HIDDEN_CONTEXT)
      .map(({ artifactId }) => artifactId),
  );
  throw new UnknownArtifactError(id, nearestNames(id, others, NEAREST_SHOWN));
}

/** Finds an artifact by the store's index, since all sessions may be very many. */
async function findAnywhere(
  query: NonNullable<ArtifactStore["query"]>,
  id: string,
  hash: string,
): Promise<ArtifactRecord> {
  const artifactIds = [...new Set([id, id.trim()])];
  const search = async (removed: boolean) =>
    (await query({ artifactIds, removed, limit: SESSIONS_SHOWN })).artifacts
      .map(({ record }) => record)
      .filter((record) => record.hash.startsWith(hash));
  const only = soleRecord(id, await search(false));
  if (only) return only;
  const [gone] = await search(true);
  if (gone) throw new ArtifactGoneError(id, "removed", gone.metadata.tool_name);
  const { artifacts: others } = await query({ exceptContext: HIDDEN_CONTEXT, limit: MAX_NAMES });
  const ids = others.map(({ record }) => record.artifactId);
  throw new UnknownArtifactError(id, nearestNames(id, ids, NEAREST_SHOWN));
}

/** Several sessions may hold the same content under the same id: whichever is read, it is the same. */
function soleRecord(id: string, found: readonly ArtifactRecord[]): ArtifactRecord | undefined {
  const [first] = found;
  if (!first || found.every(({ hash }) => hash === first.hash)) return first;
  throw new AmbiguousArtifactError(
    id,
    found.map(({ sessionId }) => sessionId),
    found.map(({ hash }) => hash.slice(0, SHOWN_HASH_DIGITS)),
  );
}

/** How many sessions that hold the same id are looked up. */
const SESSIONS_SHOWN = 100;
