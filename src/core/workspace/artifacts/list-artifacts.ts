import { InvalidArgumentError } from "../../errors/argument-errors.js";
import type { ArtifactRecord } from "./artifact.js";
import type { ArtifactStore } from "./artifact-store.js";

/** Metadata that must be equal; an artifact that lacks one of the fields does not match. */
export type SearchFilter = Readonly<Record<string, string | number | boolean | null | undefined>>;

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

/** The artifacts of these sessions that have this metadata, in the order they were stored. */
export async function listArtifacts(
  store: ArtifactStore,
  sessionIds: readonly string[],
  filter: SearchFilter,
  options: PageLimits & { cursor: string | undefined; signal: AbortSignal | undefined },
): Promise<CountedPage> {
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
  const start = parseCursor(options.cursor, sessionIds);
  const artifacts: ArtifactRecord[] = [];
  const isFull = pageGauge(options);
  let nextCursor: string | undefined;
  let leftOut = 0;
  for (let session = start.session; session < sessionIds.length; session++) {
    options.signal?.throwIfAborted();
    const contents = await store.listSession(sessionIds[session] as string);
    // Artifacts may have been removed meanwhile, so the id is a better place to continue than the position.
    const skipped = start.artifactId === undefined ? 0 : placeOf(contents.artifacts, start);
    let at = 0;
    for (const record of contents.artifacts.values()) {
      const position = at++;
      if (session === start.session && position < skipped) continue;
      if (!wanted.every(([key, value]) => record.metadata[key] === value)) continue;
      if (nextCursor === undefined && !isFull(record)) {
        artifacts.push(record);
        continue;
      }
      nextCursor ??= makeCursor(record, position);
      if (!options.chars) return { artifacts, nextCursor, leftOut: undefined };
      leftOut += 1;
    }
  }
  return { artifacts, nextCursor, leftOut: options.chars && leftOut };
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
  readonly session: number;
  readonly position: number;
  readonly artifactId: string | undefined;
}

function makeCursor({ sessionId, artifactId }: ArtifactRecord, position: number): string {
  return JSON.stringify([position, sessionId, artifactId]);
}

function parseCursor(cursor: string | undefined, sessionIds: readonly string[]): Place {
  if (cursor === undefined) return { session: 0, position: 0, artifactId: undefined };
  const parts = parseParts(cursor);
  const session = sessionIds.indexOf(parts?.sessionId ?? "");
  if (parts && session !== -1) return { ...parts, session };
  throw new InvalidArgumentError("cursor", cursor, "the nextCursor of an earlier page");
}

function parseParts(cursor: string): (Omit<Place, "session"> & { sessionId: string }) | undefined {
  try {
    const [position, sessionId, artifactId] = JSON.parse(cursor) as readonly unknown[];
    return Number.isSafeInteger(position) &&
      typeof sessionId === "string" &&
      typeof artifactId === "string"
      ? { position: position as number, sessionId, artifactId }
      : undefined;
  } catch {
    return undefined;
  }
}

function placeOf(
  artifacts: ReadonlyMap<string, ArtifactRecord>,
  { artifactId, position }: Place,
): number {
  let at = 0;
  for (const id of artifacts.keys()) {
    if (id === artifactId) return at;
    at++;
  }
  return position;
}
