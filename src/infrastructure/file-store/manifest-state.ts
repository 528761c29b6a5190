import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";

/** What was read of a manifest so far. */
export interface ReadState {
  readonly file: string;
  readonly artifacts: Map<string, ArtifactRecord>;
  readonly removed: Set<string>;
  readonly children: Set<string>;
  bytes: number;
  /** The last bytes that were read: a file that does not hold them there is another one. */
  ending: Buffer;
  hasHeader: boolean;
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
    ending: Buffer.alloc(0),
    hasHeader: false,
    brokenLines: 0,
    torn: false,
  };
}
