import { InvalidArgumentError } from "../errors/invalid-argument-error.js";
import type { ArtifactRecord } from "./artifact.js";
import type { ArtifactStore } from "./artifact-store.js";

/** Metadata that must be equal; an artifact that lacks one is not found by it. */
export type SearchFilter = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface ArtifactPage {
  readonly artifacts: readonly ArtifactRecord[];
  /** Hand it in to have the next page; `undefined` on the last one. */
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
    const contents = await store.contents(sessionIds[session] as string);
    let at = 0;
    for (const record of contents.artifacts.values()) {
      const position = at++;
      if (session === start.session && position < start.position) continue;
      if (!wanted.every(([key, value]) => record.metadata[key] === value)) continue;
      if (artifacts.length === options.limit) {
        return { artifacts, nextCursor: makeCursor(sessionIds[session] as string, position) };
      }
      artifacts.push(record);
    }
  }
  return { artifacts, nextCursor: undefined };
}

function makeCursor(sessionId: string, position: number): string {
  return `${position}:${sessionId}`;
}

function parseCursor(
  cursor: string | undefined,
  sessionIds: readonly string[],
): { session: number; position: number } {
  if (cursor === undefined) return { session: 0, position: 0 };
  const [, position, sessionId] = /^(\d+):([^]*)$/.exec(cursor) ?? [];
  const session = sessionIds.indexOf(sessionId ?? "");
  if (position === undefined || session === -1) {
    throw new InvalidArgumentError("cursor", cursor, "the nextCursor of an earlier answer");
  }
  return { session, position: Number(position) };
}
