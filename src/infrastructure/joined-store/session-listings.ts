import { isWellFormed } from "../../core/lib/text/wtf8.js";
import type {
  ListedArtifact,
  SessionListing,
} from "../../core/workspace/artifacts/artifact-store.js";
import {
  isStanding,
  type ArtifactRecord,
  type Tombstone,
} from "../../core/workspace/artifacts/artifact.js";
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

/** A row with the record of an artifact, its tombstone or the name of a child. */
export function changeIn(row: Row): SessionChange {
  const changed = Number(row["changed"]);
  const text = (row["child"] ?? row["record"]) as string;
  const chars = text.length;
  if (row["child"] !== null)
    return { changed, change: { child: JSON.parse(text) as string }, chars };
  if (!row["removed"]) return { changed, change: { put: recordIn(row) }, chars };
  return { changed, change: { removed: JSON.parse(text) as Tombstone }, chars };
}

/** A position in a listing. */
export interface ListPosition {
  /** The key of the session. */
  readonly session: string;
  readonly changed: number;
  readonly createdAt: string;
}

export function listedIn(row: Row): ListedArtifact {
  const record = recordIn(row);
  const position = [row["session"], Number(row["changed"]), record.createdAt];
  return { record, cursor: JSON.stringify(position) };
}

export function parseListCursor(cursor: string): ListPosition {
  try {
    const [session, changed, createdAt] = JSON.parse(cursor) as readonly unknown[];
    if (
      typeof session === "string" &&
      Number.isSafeInteger(changed) &&
      typeof createdAt === "string"
    ) {
      return { session, changed: changed as number, createdAt };
    }
  } catch {
    // Reported below.
  }
  throw wrongCursor(cursor);
}

/** How many rows a statement returns at most. */
export const PAGE = 1_000;

/** A change of a session, as a database keeps it. Changes of one session are numbered as they are committed. */
export interface SessionChange {
  readonly changed: number;
  readonly change:
    { readonly put: ArtifactRecord } | { readonly removed: Tombstone } | { readonly child: string };
  /** How long its row is, in characters. */
  readonly chars: number;
}

/** What a session is like as of the same moment as its changes. */
export interface SessionHead {
  /** Another one once the database may have gone back: after a failover or a restore, or if the session was purged. */
  readonly epoch: string;
  /** The number of the last change. */
  readonly last: number;
  /** How many artifacts there are. */
  readonly artifacts: number;
}

/** Up to `PAGE` changes after a number; a shorter page is the last one. Without a head there is no such session. */
export interface SessionPage {
  readonly head: SessionHead | undefined;
  readonly changes: readonly SessionChange[];
}

interface CachedListing {
  readonly epoch: string | undefined;
  readonly artifacts: Map<string, ArtifactRecord>;
  readonly removed: Map<string, Tombstone>;
  readonly children: Set<string>;
  upTo: number;
  /** Roughly what it takes in memory, and how much of that is counted among what is remembered. */
  bytes: number;
  counted: number;
  /** By how much the database counts differently, which must not be taken for a change of its past each time. */
  drift: number;
  lastRemoval: object;
}

/** What the listings of all stores in this process may take in memory together. */
const MAX_LISTED_BYTES = 67_108_864;
/** What a record takes besides its text, which is about twice as long in memory. */
const RECORD_BYTES = 600;
const BYTES_PER_CHAR = 2;

/** All listings that are remembered, the least recently used one first. */
const remembered = new Map<CachedListing, () => void>();
let rememberedBytes = 0;

function remember(listing: CachedListing, forget: () => void): void {
  rememberedBytes += listing.bytes - listing.counted;
  listing.counted = listing.bytes;
  remembered.delete(listing);
  remembered.set(listing, forget);
  for (const [oldest, forgetOldest] of remembered) {
    if (rememberedBytes <= MAX_LISTED_BYTES || oldest === listing) return;
    forgetOldest();
  }
}

/** The listings of sessions, each read from the database once and then only as far as it has changed. */
export class SessionListings {
  readonly #listings = new Map<string, CachedListing>();

  constructor(readonly load: (sessionId: string, after: number) => Promise<SessionPage>) {}

  async list(sessionId: string): Promise<SessionListing> {
    for (let fresh = false; ; fresh = true) {
      const listing = fresh ? undefined : this.#listings.get(sessionId);
      const read = await this.#read(sessionId, listing);
      if (read) return read;
    }
  }

  /** Reads on where a listing ends, or from the start; `undefined` if the past has become another one. */
  async #read(
    sessionId: string,
    known: CachedListing | undefined,
  ): Promise<SessionListing | undefined> {
    let listing = known;
    for (;;) {
      const after = listing?.upTo ?? 0;
      const { head, changes } = await this.load(sessionId, after);
      if (!head) {
        if (listing) this.#forget(sessionId, listing);
        return emptyListing(undefined);
      }
      listing ??= emptyListing(head.epoch);
      if (listing.epoch !== head.epoch || head.last < after) break;
      for (const change of changes) apply(listing, change);
      if (changes.length === PAGE) continue;
      const drift = head.artifacts - listing.artifacts.size;
      // Another call may have read further, with a later count.
      const isCurrent = listing.upTo <= head.last;
      if (known && isCurrent && drift !== listing.drift) break;
      if (!known) listing.drift = drift;
      this.#remember(sessionId, listing);
      endTombstones(listing);
      return listing;
    }
    this.#forget(sessionId, listing);
    return undefined;
  }

  #remember(sessionId: string, listing: CachedListing): void {
    const before = this.#listings.get(sessionId);
    if (before && before !== listing) this.#forget(sessionId, before);
    this.#listings.set(sessionId, listing);
    remember(listing, () => {
      this.#forget(sessionId, listing);
    });
  }

  #forget(sessionId: string, listing: CachedListing): void {
    if (this.#listings.get(sessionId) === listing) this.#listings.delete(sessionId);
    if (!remembered.delete(listing)) return;
    rememberedBytes -= listing.counted;
    listing.counted = 0;
  }
}

function emptyListing(epoch: string | undefined): CachedListing {
  return {
    ...{ epoch, artifacts: new Map(), removed: new Map(), children: new Set() },
    ...{ upTo: 0, bytes: 0, counted: 0, drift: 0, lastRemoval: {} },
  };
}

function apply(listing: CachedListing, { changed, change, chars }: SessionChange): void {
  // Another call may have loaded the same change in the meantime.
  if (changed <= listing.upTo) return;
  listing.upTo = changed;
  // What is replaced is counted on: a session that changes very often is read anew now and then.
  listing.bytes += RECORD_BYTES + BYTES_PER_CHAR * chars;
  if ("child" in change) listing.children.add(change.child);
  else if ("removed" in change) {
    const { artifactId } = change.removed;
    listing.artifacts.delete(artifactId);
    listing.removed.delete(artifactId);
    listing.removed.set(artifactId, change.removed);
    listing.lastRemoval = {};
  } else {
    const { artifactId } = change.put;
    listing.removed.delete(artifactId);
    listing.artifacts.delete(artifactId);
    listing.artifacts.set(artifactId, change.put);
  }
}

/** They end in the order in which they were made. */
function endTombstones({ removed }: CachedListing): void {
  const now = Date.now();
  for (const [artifactId, tombstone] of removed) {
    if (isStanding(tombstone, now)) return;
    removed.delete(artifactId);
  }
}
