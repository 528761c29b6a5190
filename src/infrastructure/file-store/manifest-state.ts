import type { ManifestRecord } from "./manifest-entry.js";

/** An artifact in a listing; the id of its session may become known later. */
export type ListedRecord = ManifestRecord & { sessionId: string; location: string };

/** What was read from a manifest so far. */
export interface ReadState {
  /** The identity of the file that was read; "" if there was none. */
  readonly file: string;
  readonly artifacts: Map<string, ListedRecord>;
  readonly removed: Set<string>;
  readonly children: Set<string>;
  /** Up to where it was read. */
  bytes: number;
  /** When the file was last modified. */
  modifiedMs: number;
  /** The last bytes that were read: a file with other bytes there was replaced. */
  ending: Buffer;
  /** The session that the header names. */
  owner: string | undefined;
  brokenLines: number;
  /** The last line is incomplete: still being written, or abandoned. */
  torn: boolean;
}

export function emptyState(file: string): ReadState {
  return {
    file,
    artifacts: new Map(),
    removed: new Set(),
    children: new Set(),
    bytes: 0,
    modifiedMs: 0,
    ending: Buffer.alloc(0),
    owner: undefined,
    brokenLines: 0,
    torn: false,
  };
}
