import { nearestNames } from "../../lib/text/nearest-names.js";
import { HIDDEN_CONTEXT, shownHashOf, type ArtifactRecord } from "./artifact.js";
import type { ArtifactStore, FoundArtifacts, SessionListing } from "./artifact-store.js";
import {
  AmbiguousArtifactError,
  ArtifactGoneError,
  UnknownArtifactError,
} from "../../errors/reading-errors.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { requireText } from "../../arguments.js";

const NEAREST_SHOWN = 5;
/** How many artifacts of all sessions an unknown id is compared with: the newest, which it most likely means. */
const NAMES_COMPARED = 200;

/** The sessions that a session may read: itself, its children and theirs. All sessions when none is given. */
export async function visibleSessions(
  store: ArtifactStore,
  sessionId: unknown,
): Promise<readonly string[]> {
  if (sessionId === undefined) return store.sessions();
  const seen: string[] = [];
  for await (const [session] of visibleListings(store, sessionId)) seen.push(session);
  return seen;
}

/** The same sessions, each with what it holds, listed only as far as they are asked for. */
async function* visibleListings(
  store: ArtifactStore,
  sessionId: unknown,
): AsyncGenerator<readonly [sessionId: string, listing: SessionListing]> {
  if (sessionId !== undefined && typeof sessionId !== "string") {
    throw new InvalidArgumentError("sessionId", sessionId, "a string");
  }
  const seen = new Set(sessionId === undefined ? await store.sessions() : [sessionId]);
  for (const session of seen) {
    const listing = await store.listSession(session);
    yield [session, listing];
    // A set that grows while it is iterated also reaches the children's children.
    if (sessionId !== undefined) for (const child of listing.children) seen.add(child);
  }
}

/** Finds an artifact among those that the session may read; throws an error that says why there is none. */
export async function findArtifact(
  store: ArtifactStore,
  artifactId: unknown,
  sessionId: string | undefined,
  purpose: "reading" | "removal" = "reading",
): Promise<ArtifactRecord> {
  const id = requireText("artifactId", artifactId, "the id in the reference");
  try {
    return await findById(store, id, sessionId, "", purpose);
  } catch (error) {
    const [, plainId, hash] = WITH_HASH.exec(id) ?? [];
    if (plainId === undefined || hash === undefined) throw error;
    if (!(error instanceof UnknownArtifactError)) throw error;
    return findById(store, plainId, sessionId, hash, purpose);
  }
}

/** An id with the hash that its reference shows, which tells apart those of the same id in several sessions. */
const WITH_HASH = /^([^]+)#([0-9a-f]{8})\s*$/;

async function findById(
  store: ArtifactStore,
  id: string,
  sessionId: string | undefined,
  hash: string,
  purpose: "reading" | "removal",
): Promise<ArtifactRecord> {
  // Models put blanks around ids.
  const artifactIds = [...new Set([id, id.trim()])];
  const isMeant = (record: ArtifactRecord) => shownHashOf(record).startsWith(hash);
  if (sessionId === undefined && store.query && store.find) {
    const found = await store.find({ artifactIds, limit: SESSIONS_SHOWN });
    const only = soleRecord(id, found.artifacts.filter(isMeant), purpose);
    return only ?? rejectUnknown(store.query.bind(store), id, found);
  }
  if (typeof sessionId === "string" && store.find) {
    // A session's own artifact comes before those of its children.
    const { artifacts } = await store.find({ artifactIds, sessionId, limit: artifactIds.length });
    const meant = artifacts.filter(isMeant);
    const own = meant.find(({ artifactId: found }) => found === id) ?? meant[0];
    if (own) return own;
  }
  const found: ArtifactRecord[] = [];
  const listings: SessionListing[] = [];
  let wasRemoved = false;
  for await (const [session, listing] of visibleListings(store, sessionId)) {
    const { artifacts, removed } = listing;
    const named = artifacts.get(id) ?? artifacts.get(id.trim());
    const record = named && isMeant(named) ? named : undefined;
    if (record && session === sessionId) return record;
    if (record) found.push(record);
    else wasRemoved ||= artifactIds.some((one) => removed.has(one));
    listings.push(listing);
  }
  const only = soleRecord(id, found, purpose);
  if (only) return only;
  if (wasRemoved) throw new ArtifactGoneError(id, "removed");
  const others: string[] = [];
  for (const { artifacts } of listings) {
    for (const { artifactId, metadata } of artifacts.values()) {
      if (metadata.context_type !== HIDDEN_CONTEXT) others.push(artifactId);
    }
  }
  throw new UnknownArtifactError(id, nearestNames(id, others, NEAREST_SHOWN));
}

/** Names a few of the artifacts that exist, since all of them may be very many. */
async function rejectUnknown(
  query: NonNullable<ArtifactStore["query"]>,
  id: string,
  { wasRemoved }: FoundArtifacts,
): Promise<never> {
  if (wasRemoved) throw new ArtifactGoneError(id, "removed");
  const { artifacts: others } = await query({
    exceptContext: HIDDEN_CONTEXT,
    newestFirst: true,
    limit: NAMES_COMPARED,
  });
  const ids = others.map(({ record }) => record.artifactId);
  throw new UnknownArtifactError(id, nearestNames(id, ids, NEAREST_SHOWN));
}

/** Several sessions may hold the same content under the same id: whichever is read, it is the same. */
function soleRecord(
  id: string,
  found: readonly ArtifactRecord[],
  purpose: "reading" | "removal",
): ArtifactRecord | undefined {
  const [first, ...others] = found;
  if (!first || others.length === 0) return first;
  if (purpose === "reading" && others.every(({ hash }) => hash === first.hash)) return first;
  throw new AmbiguousArtifactError(
    id,
    found.map(({ sessionId }) => sessionId),
    found.map(shownHashOf),
  );
}

/** How many sessions that hold the same id are looked up. */
const SESSIONS_SHOWN = 100;
