import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import type { ListedArtifact } from "../../core/workspace/artifacts/artifact-store.js";
import { wrongCursor } from "../../core/workspace/artifacts/query-artifacts.js";
import type { SessionChange } from "./session-listings.js";

/** A row as a database returns it: SQLite has 1 for true, and `pg` texts for large numbers. */
export type Row = Readonly<Record<string, unknown>>;

export function recordIn(row: Row): ArtifactRecord {
  return JSON.parse(row["record"] as string) as ArtifactRecord;
}

/** A row with the record of an artifact or the name of a child. */
export function changeIn(row: Row): SessionChange {
  const changed = Number(row["changed"]);
  if (row["child"] !== null) {
    return { changed, change: { child: JSON.parse(row["child"] as string) as string } };
  }
  const record = recordIn(row);
  return { changed, change: row["removed"] ? { removed: record } : { put: record } };
}

/** A place in a listing. */
export interface ListPlace {
  /** The key of the session. */
  readonly session: string;
  readonly seq: number;
  readonly createdAt: string;
}

export function listedIn(row: Row): ListedArtifact {
  const record = recordIn(row);
  const place = [row["session"], Number(row["seq"]), record.createdAt];
  return { record, cursor: JSON.stringify(place) };
}

export function parseListCursor(cursor: string): ListPlace {
  try {
    const [session, seq, createdAt] = JSON.parse(cursor) as readonly unknown[];
    if (typeof session === "string" && Number.isSafeInteger(seq) && typeof createdAt === "string") {
      return { session, seq: seq as number, createdAt };
    }
  } catch {
    // Reported below.
  }
  throw wrongCursor(cursor);
}
