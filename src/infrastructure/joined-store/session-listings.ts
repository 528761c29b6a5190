import { isWellFormed } from "../../core/lib/text/wtf8.js";
import type {
  ListedArtifact,
  SessionListing,
} from "../../core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import { wrongCursor } from "../../core/workspace/artifacts/list-artifacts.js";
import { sha256 } from "../hash.js";

const MAX_PLAIN_CHARS = 200;

/**
 * An id as databases can index it: short, and without what their texts cannot hold. Any other id is
 * represented by its hash; the id itself is kept in the record.
 */
export function indexKey(id: string): string {
  const isPlain =
    id.length <= MAX_PLAIN_CHARS && !id.includes("\0") && !id.startsWith("~") && isWellFormed(id);
  return isPlain ? id : `~${sha256(id)}`;
}

/** A row as a database returns it: SQLite has 1 for true, and `pg` texts for large numbers. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The record in a row. It belongs to the session and artifact that the row has: a record that was moved
 * to another row must not lead to where it came from.
 */
export function recordIn(row: Row): ArtifactRecord {
  const record = JSON.parse(row["record"] as string) as ArtifactRecord;
  const { session, artifact } = row as { readonly session: string; readonly artifact: string };
  const isOwn = isKeyOf(session, record.sessionId) && isKeyOf(artifact, record.artifactId);
  return isOwn ? record : { ...record, sessionId: session, artifactId: artifact };
}

function isKeyOf(key: string, id: unknown): boolean {
  return typeof id === "string" && indexKey(id) === key;
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

/** A position in a listing. */
export interface ListPosition {
  /** The key of the session. */
  readonly session: string;
  readonly seq: number;
  readonly createdAt: string;
}

export function listedIn(row: Row): ListedArtifact {
  const record = recordIn(row);
  const position = [row["session"], Number(row["seq"]), record.createdAt];
  return { record, cursor: JSON.stringify(position) };
}

export function parseListCursor(cursor: string): ListPosition {
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

/** How many rows a statement returns at most. */
export const PAGE = 1_000;

/** How many sessions' listings are remembered. */
const MAX_LISTINGS = 256;

/** A change of a session, as a database keeps it. Changes of one session are numbered as they are committed. */
export interface SessionChange {
  readonly changed: number;
  readonly change:
    | { readonly put: ArtifactRecord }
    | { readonly removed: ArtifactRecord }
    | { readonly child: string };
}

interface CachedListing {
  readonly artifacts: Map<string, ArtifactRecord>;
  readonly removed: Map<string, ArtifactRecord>;
  readonly children: Set<string>;
  upTo: number;
}

/** The listings of sessions, each read from the database once and then only as far as it has changed. */
export class SessionListings {
  readonly #listings = new Map<string, CachedListing>();

  /** @param load - Returns up to `PAGE` changes; a shorter page is the last one. */
  constructor(
    readonly load: (sessionId: string, after: number) => Promise<readonly SessionChange[]>,
  ) {}

  async list(sessionId: string): Promise<SessionListing> {
    const listing = this.#listingOf(sessionId);
    for (;;) {
      const changes = await this.load(sessionId, listing.upTo);
      for (const change of changes) apply(listing, change);
      if (changes.length < PAGE) return listing;
    }
  }

  #listingOf(sessionId: string): CachedListing {
    const listing = this.#listings.get(sessionId) ?? {
      artifacts: new Map<string, ArtifactRecord>(),
      removed: new Map<string, ArtifactRecord>(),
      children: new Set<string>(),
      upTo: 0,
    };
    // Removed and added again, so that the first entry is the least recently used.
    this.#listings.delete(sessionId);
    this.#listings.set(sessionId, listing);
    const [oldest] = this.#listings.keys();
    if (this.#listings.size > MAX_LISTINGS && oldest !== undefined) this.#listings.delete(oldest);
    return listing;
  }
}

function apply(listing: CachedListing, { changed, change }: SessionChange): void {
  // Another call may have loaded the same change in the meantime.
  if (changed <= listing.upTo) return;
  listing.upTo = changed;
  if ("child" in change) listing.children.add(change.child);
  else if ("removed" in change) {
    const { artifactId } = change.removed;
    listing.artifacts.delete(artifactId);
    listing.removed.set(artifactId, change.removed);
  } else {
    const { artifactId } = change.put;
    listing.removed.delete(artifactId);
    listing.artifacts.delete(artifactId);
    listing.artifacts.set(artifactId, change.put);
  }
}
