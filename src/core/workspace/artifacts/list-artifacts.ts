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

/** The artifacts of these sessions that have this metadata, in the order they were stored. */
export async function listArtifacts(
  store: ArtifactStore,
  sessionIds: readonly string[],
  filter: SearchFilter,
  options: { limit: number; cursor: string | undefined; signal: AbortSignal | undefined },
): Promise<ArtifactPage> {
  const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
  const start = parseCursor(options.cursor, sessionIds);
  const artifacts: ArtifactRecord[] = [];
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
      if (artifacts.length === options.limit) {
        return { artifacts, nextCursor: makeCursor(record, position) };
      }
      artifacts.push(record);
    }
  }
  return { artifacts, nextCursor: undefined };
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
