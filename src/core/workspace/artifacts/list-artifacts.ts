import { InvalidArgumentError } from "../../errors/argument-errors.js";
import type {
  ArtifactQuery,
  ArtifactStore,
  ListedArtifact,
  QueryPage,
  SearchFilter,
  SessionSummary,
  SummaryQuery,
} from "./artifact-store.js";
import { HIDDEN_CONTEXT, type ArtifactRecord } from "./artifact.js";

/** A page of a listing: by the store's index, or from what it lists of each session. */
export function queryArtifacts(store: ArtifactStore, query: ArtifactQuery): Promise<QueryPage> {
  return store.query ? store.query(query) : queryByListing(store, query);
}

/** A page from what a store lists of each session. */
export async function queryByListing(
  store: Pick<ArtifactStore, "sessions" | "listSession">,
  query: ArtifactQuery,
): Promise<QueryPage> {
  const { sessionId, after, limit, countRest = false } = query;
  if (query.newestFirst) return queryByTime(store, query);
  const sessions = sessionId === undefined ? await store.sessions() : [sessionId];
  const start = after === undefined ? undefined : parsePlace(after);
  const startIndex = start ? sessions.indexOf(start.sessionId) : 0;
  if (startIndex === -1) throw wrongCursor(after);
  const isMatch = matcherOf(query);
  const artifacts: ListedArtifact[] = [];
  let leftOut = 0;
  for (const session of sessions.slice(startIndex)) {
    const listing = await store.listSession(session);
    const skipped = session === start?.sessionId ? placeOf(listing.artifacts, start) : 0;
    let position = 0;
    for (const record of listing.artifacts.values()) {
      position++;
      if (position <= skipped || !isMatch(record)) continue;
      if (artifacts.length < limit) artifacts.push(new Listed(record));
      else if (countRest) leftOut++;
      else return { artifacts };
    }
  }
  return { artifacts, leftOut: countRest ? leftOut : undefined };
}

async function queryByTime(
  store: Pick<ArtifactStore, "sessions" | "listSession">,
  query: ArtifactQuery,
): Promise<QueryPage> {
  const { sessionId, after, limit } = query;
  const isMatch = matcherOf(query);
  const records: ArtifactRecord[] = [];
  for (const session of sessionId === undefined ? await store.sessions() : [sessionId]) {
    for (const record of (await store.listSession(session)).artifacts.values()) {
      if (isMatch(record)) records.push(record);
    }
  }
  records.sort(byTime).reverse();
  const start = after === undefined ? 0 : placeByTime(records, parsePlace(after));
  const artifacts = records.slice(start, start + limit).map((record) => new Listed(record));
  const leftOut = query.countRest ? records.length - start - artifacts.length : undefined;
  return { artifacts, leftOut };
}

/** A comparison for a stable sort: what was stored in the same moment keeps its order. */
export function byTime(one: ArtifactRecord, other: ArtifactRecord): number {
  if (one.createdAt === other.createdAt) return 0;
  return one.createdAt < other.createdAt ? -1 : 1;
}

/** Its cursor is made only when it is asked for: a page needs that of its last artifact alone. */
class Listed implements ListedArtifact {
  constructor(readonly record: ArtifactRecord) {}

  get cursor(): string {
    const { sessionId, artifactId, createdAt } = this.record;
    return JSON.stringify([sessionId, artifactId, createdAt]);
  }
}

/** Tells whether a record has the ids and the metadata that a query asks for. */
export function matcherOf({
  artifactIds,
  filter = {},
  exceptContext,
}: ArtifactQuery): (record: ArtifactRecord) => boolean {
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
  return ({ artifactId, metadata }) =>
    artifactIds?.includes(artifactId) !== false &&
    (exceptContext === undefined || metadata.context_type !== exceptContext) &&
    wanted.every(([key, value]) => metadata[key] === value);
}

interface TimeCursor {
  readonly sessionId: string;
  readonly artifactId: string;
  readonly createdAt: string;
}

function parsePlace(cursor: string): TimeCursor {
  try {
    const [sessionId, artifactId, createdAt] = JSON.parse(cursor) as readonly unknown[];
    if (
      typeof sessionId === "string" &&
      typeof artifactId === "string" &&
      typeof createdAt === "string"
    ) {
      return { sessionId, artifactId, createdAt };
    }
  } catch {
    // Reported below.
  }
  throw wrongCursor(cursor);
}

/** The error for a cursor that no page of this listing has. */
export function wrongCursor(cursor: unknown): InvalidArgumentError {
  return new InvalidArgumentError("cursor", cursor, "the nextCursor of an earlier page");
}

/** How many artifacts come up to this place. If its artifact was removed or renewed, some may be listed again, but none is missed. */
function placeOf(
  artifacts: ReadonlyMap<string, ArtifactRecord>,
  { artifactId, createdAt }: TimeCursor,
): number {
  // One that was renewed has moved to the end.
  const isThere = artifacts.get(artifactId)?.createdAt === createdAt;
  let at = 0;
  for (const record of artifacts.values()) {
    if (!isThere && record.createdAt >= createdAt) return at;
    at++;
    if (record.artifactId === artifactId) return at;
  }
  return at;
}

/** The same for the newest first. */
function placeByTime(records: readonly ArtifactRecord[], place: TimeCursor): number {
  const at = records.findIndex(
    ({ sessionId, artifactId, createdAt }) =>
      sessionId === place.sessionId &&
      artifactId === place.artifactId &&
      createdAt === place.createdAt,
  );
  if (at !== -1) return at + 1;
  const next = records.findIndex(({ createdAt }) => createdAt <= place.createdAt);
  return next === -1 ? records.length : next;
}

/** What sessions hold: by the store's index, or from what it lists of each session. */
export async function summarizeSessions(
  store: ArtifactStore,
  query: SummaryQuery,
): Promise<readonly SessionSummary[]> {
  if (store.summarize) return store.summarize(query);
  const { after, limit } = query;
  const sessions = await store.sessions();
  const found: SessionSummary[] = [];
  for (const sessionId of sessions.slice(after === undefined ? 0 : sessions.indexOf(after) + 1)) {
    if (found.length === limit) break;
    const records = [...(await store.listSession(sessionId)).artifacts.values()];
    if (records.length === 0) continue;
    const bytes = records.reduce((sum, { size }) => sum + size.bytes, 0);
    const lastWrittenAt = records.reduce(
      (last, { createdAt }) => (createdAt > last ? createdAt : last),
      "",
    );
    found.push({ sessionId, artifacts: records.length, bytes, lastWrittenAt });
  }
  return found;
}

/** One page of a listing. */
export interface ArtifactPage {
  readonly artifacts: readonly ArtifactRecord[];
  /** Pass it as `cursor` to get the next page; `undefined` on the last one. */
  readonly nextCursor: string | undefined;
}

/** A page that is limited by its length says how much it leaves out. */
export interface CountedPage extends ArtifactPage {
  /** How many artifacts come after this page; `undefined` if its length was not limited. */
  readonly leftOut: number | undefined;
}

/** How much of a listing to return. */
interface PageLimits {
  readonly limit: number;
  /** How long the page may be, if that is limited, and how long an artifact is in it. */
  readonly chars?:
    { readonly most: number; readonly of: (record: ArtifactRecord) => number } | undefined;
}

/**
 * The artifacts of these sessions that have this metadata, in the order they were stored; hidden ones
 * only if the filter asks for them.
 *
 * @param sessionIds - `undefined` for all sessions.
 */
export async function listArtifacts(
  store: ArtifactStore,
  sessionIds: readonly string[] | undefined,
  filter: SearchFilter,
  options: PageLimits & { cursor: string | undefined; signal: AbortSignal | undefined },
): Promise<CountedPage> {
  const { limit, chars, cursor, signal } = options;
  const sessions = sessionIds ?? [undefined];
  const start = parseCursor(cursor, sessions);
  const artifacts: ArtifactRecord[] = [];
  const isFull = pageGauge(options);
  let nextCursor: string | undefined;
  let leftOut = 0;
  let last: { readonly sessionId: string | undefined; readonly listed: ListedArtifact } | undefined;
  for (const [index, sessionId] of sessions.entries()) {
    if (index < start.index) continue;
    signal?.throwIfAborted();
    const page = await queryArtifacts(store, {
      sessionId,
      filter,
      exceptContext: filter["context_type"] === HIDDEN_CONTEXT ? undefined : HIDDEN_CONTEXT,
      after: index === start.index ? start.after : undefined,
      // One more than fits tells whether there is a next page.
      limit: nextCursor === undefined ? limit - artifacts.length + 1 : 1,
      countRest: chars !== undefined,
    });
    for (const listed of page.artifacts) {
      if (nextCursor === undefined && !isFull(listed.record)) {
        artifacts.push(listed.record);
        last = { sessionId, listed };
        continue;
      }
      // The next page continues behind the last artifact of this one.
      nextCursor ??= last ? JSON.stringify([last.sessionId ?? null, last.listed.cursor]) : cursor;
      leftOut += 1;
    }
    if (nextCursor !== undefined && !chars) break;
    leftOut += page.leftOut ?? 0;
  }
  return { artifacts, nextCursor, leftOut: chars && leftOut };
}

/** Counts what is on the page; true for a record that no longer fits. The first one always does. */
function pageGauge({ limit, chars }: PageLimits): (record: ArtifactRecord) => boolean {
  let count = 0;
  let filled = 0;
  return (record) => {
    filled += chars?.of(record) ?? 0;
    count += 1;
    return count > limit || (count > 1 && filled > (chars?.most ?? Infinity));
  };
}

interface SessionCursor {
  readonly index: number;
  readonly after: string | undefined;
}

function parseCursor(
  cursor: string | undefined,
  sessions: readonly (string | undefined)[],
): SessionCursor {
  if (cursor === undefined) return { index: 0, after: undefined };
  try {
    const [sessionId, after] = JSON.parse(cursor) as readonly unknown[];
    const index = sessions.findIndex((id) => (id ?? null) === sessionId);
    if (index !== -1 && typeof after === "string") return { index, after };
  } catch {
    // Reported below.
  }
  throw wrongCursor(cursor);
}
