import type { ArtifactRecord } from "./artifact.js";
import type { ArtifactStore } from "./artifact-store.js";
import {
  AmbiguousArtifactError,
  ArtifactGoneError,
  UnknownArtifactError,
} from "../../errors/artifact-errors.js";
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
  const others: string[] = [];
  let removed: string | null | undefined;
  for (const session of await visibleSessions(store, sessionId)) {
    const contents = await store.listSession(session);
    // Models put blanks around ids.
    const record = contents.artifacts.get(id) ?? contents.artifacts.get(id.trim());
    // A session's own artifact comes before those of its children.
    if (record && session === sessionId) return record;
    if (record) found.push(record);
    // `null` is a removed artifact of an unknown tool.
    else removed ??= contents.removed.get(contents.removed.has(id) ? id : id.trim());
    for (const other of contents.artifacts.keys()) others.push(other);
  }
  const only = soleRecord(id, found);
  if (only) return only;
  if (removed !== undefined) throw new ArtifactGoneError(id, "removed", removed);
  throw new UnknownArtifactError(id, nearestIds(id, others, NEAREST_SHOWN));
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
  const others = (await query({ limit: MAX_IDS })).artifacts;
  const ids = others.map(({ record }) => record.artifactId);
  throw new UnknownArtifactError(id, nearestIds(id, ids, NEAREST_SHOWN));
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
const MAX_IDS = 2_000;
const MAX_COMPARED_CHARS = 80;

/** The ids that are most similar to the requested one, closest matches first. */
export function nearestIds(asked: string, ids: readonly string[], count: number): string[] {
  const wanted = asked.slice(0, MAX_COMPARED_CHARS).toLowerCase();
  return ids
    .slice(-MAX_IDS)
    .map((id) => ({
      id,
      distance: distance(wanted, id.slice(0, MAX_COMPARED_CHARS).toLowerCase()),
    }))
    .sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1))
    .slice(0, count)
    .map(({ id }) => id);
}

/** The Levenshtein distance: how many characters to insert, delete or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
