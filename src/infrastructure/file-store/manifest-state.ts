import type { ManifestRecord } from "./manifest-entry.js";

/** An artifact as the listing gives it out; what its session is called may become known late. */
export type ListedRecord = ManifestRecord & { sessionId: string; location: string };

/** What was read of a manifest so far. */
export interface ReadState {
  /** Which file of the disk was read; "" when there was none. */
  readonly file: string;
  readonly artifacts: Map<string, ListedRecord>;
  readonly removed: Set<string>;
  readonly children: Set<string>;
  /** Up to where it was read. */
  bytes: number;
  /** When the file had last been written to. */
  modifiedMs: number;
  /** The last bytes that were read: a file that does not hold them there is another one. */
  ending: Buffer;
  /** The session that the header names. */
  owner: string | undefined;
  brokenLines: number;
  /** The last line is not whole: still being written, or never to be. */
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
