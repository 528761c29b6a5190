import { DEFAULTS } from "../core/defaults.js";
import { estimateTokens } from "../core/estimate-tokens.js";
import { InvalidPatternError } from "../core/errors/reading-errors.js";
import { compilePattern, type CompiledPattern } from "../core/lib/search/compile-pattern.js";
import { LineSearch } from "../core/lib/search/line-search.js";
import {
  PatternError,
  type SearchMatch,
  type SearchQuery,
} from "../core/lib/search/search-terms.js";
import { readPieces } from "../core/lib/text/byte-source.js";
import { encodeWtf8 } from "../core/lib/text/wtf8.js";
import { MemoryArtifacts } from "../core/workspace/artifacts/memory-store.js";
import type { EventLogger } from "../core/workspace/events.js";
import type { SearchText } from "../core/workspace/reading/grep-knowledge.js";
import type { ToolNaming } from "../core/workspace/reading/reading.js";
import type { Workspace } from "../core/workspace/workspace-types.js";
import { wireWorkspace } from "../core/workspace/workspace.js";

/** A store in memory, for tests: nothing outlives the process. */
export class MemoryStore extends MemoryArtifacts {
  constructor() {
    super(checkHash);
  }
}

/** Options of `createMemoryWorkspace`. */
export interface MemoryWorkspaceOptions {
  /** Maximum length of the digest in a reference, in characters. Default 2,000. */
  readonly digestChars?: number | undefined;
  /** The agent's own names for the reading tools; `false` for one that it does not have. Default: the tools' own names. */
  readonly toolNames?: ToolNaming | undefined;
  /** Called with an event for every offload, read, skip, removal and failure. Default: none. */
  readonly logger?: EventLogger | undefined;
}

/**
 * A workspace in memory, for tests of formats and agents without a disk. It searches in the calling
 * thread, so a pattern that takes too long is not stopped.
 */
export function createMemoryWorkspace(options: MemoryWorkspaceOptions = {}): Workspace {
  const { digestChars = DEFAULTS.digestChars, toolNames = {}, logger } = options;
  return wireWorkspace({
    namespace: "memory",
    store: new MemoryStore(),
    searchText: searchHere,
    closeSearch: () => Promise.resolve(),
    hash: checkHash,
    clock: { now: () => 0, elapsed: () => 0 },
    countTokens: estimateTokens,
    digestChars,
    readChars: DEFAULTS.readChars,
    notice: { readBy: "tools", toolNames },
    logger,
  });
}

/**
 * A hash of 64 hexadecimal digits that is not cryptographic: good enough for tests, and without an
 * import from Node.
 */
export function checkHash(data: string | Uint8Array): string {
  const bytes = typeof data === "string" ? encodeWtf8(data) : data;
  let digits = "";
  for (let seed = 1; seed <= 8; seed++) {
    let hash = Math.imul(0x811c9dc5, seed);
    for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193 + 2 * seed);
    digits += (hash >>> 0).toString(16).padStart(8, "0");
  }
  return digits;
}

/** Searches in this thread, without a worker and without a deadline. */
export const searchHere: SearchText = async (source, query, { signal }) => {
  signal?.throwIfAborted();
  const matches: SearchMatch[] = [];
  const lines = new LineSearch(query, {
    pattern: compileOrRefuse(query),
    onMatch: (match) => void matches.push(match),
  });
  for await (const piece of readPieces(source, signal)) lines.push(piece);
  lines.finish();
  const { matchingLines, scannedLines } = lines.tally;
  const complete = matches.length === matchingLines;
  return complete
    ? { matches, matchingLines, scannedLines, complete }
    : { matches, matchingLines, scannedLines, complete, stoppedBy: "maxResults" };
};

function compileOrRefuse(query: SearchQuery): CompiledPattern {
  try {
    return compilePattern(query);
  } catch (error) {
    if (!PatternError.isInstance(error)) throw error;
    throw new InvalidPatternError(query.pattern, error.reason);
  }
}
