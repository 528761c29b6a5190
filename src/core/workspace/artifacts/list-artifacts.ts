import type { ArtifactRecord } from "./artifact.js";
import type { ArtifactStore, ListedArtifact, SearchFilter } from "./artifact-store.js";
import { queryArtifacts, wrongCursor } from "./query-artifacts.js";

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
 * The artifacts of these sessions that have this metadata, in the order they were stored.
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

interface Place {
  readonly index: number;
  readonly after: string | undefined;
}

function parseCursor(cursor: string | undefined, sessions: readonly (string | undefined)[]): Place {
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
