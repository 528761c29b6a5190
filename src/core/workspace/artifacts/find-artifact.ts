import { MAX_NAMES, nearestNames } from "../../lib/text/nearest-names.js";
import { HIDDEN_CONTEXT, type ArtifactRecord } from "./artifact.js";
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
  if (sessionId === undefined && store.query) return findAnywhere(store.query.bind(store), id);
  const found: ArtifactRecord[] = [];
  const listings: SessionListing[] = [];
  let removed: ArtifactRecord | null | undefined;
  for (const session of await visibleSessions(store, sessionId)) {
    const contents = await store.listSession(session);
    // Models put blanks around ids.
    const record = contents.artifacts.get(id) ?? contents.artifacts.get(id.trim());
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
): Promise<ArtifactRecord> {
  const artifactIds = [...new Set([id, id.trim()])];
  const search = async (removed: boolean) =>
    (await query({ artifactIds, removed, limit: SESSIONS_SHOWN })).artifacts.map(
      ({ record }) => record,
    );
  const only = soleRecord(id, await search(false));
  if (only) return only;
  const [gone] = await search(true);
  if (gone) throw new ArtifactGoneError(id, "removed", gone.metadata.tool_name);
  const { artifacts: others } = await query({ exceptContext: HIDDEN_CONTEXT, limit: MAX_NAMES });
  const ids = others.map(({ record }) => record.artifactId);
  throw new UnknownArtifactError(id, nearestNames(id, ids, NEAREST_SHOWN));
}

function soleRecord(id: string, found: readonly ArtifactRecord[]): ArtifactRecord | undefined {
  const [first, second] = found;
  if (!second) return first;
  throw new AmbiguousArtifactError(
    id,
    found.map(({ sessionId }) => sessionId),
  );
}

/** How many sessions that hold the same id are looked up. */
const SESSIONS_SHOWN = 100;
