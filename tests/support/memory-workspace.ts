import type { ArtifactInput, PutOptions, Workspace, WorkspaceOptions } from "../../src/index.js";
import { DEFAULTS } from "../../src/core/defaults.js";
import { InvalidPatternError } from "../../src/core/errors/search-errors.js";
import { compilePattern, type CompiledPattern } from "../../src/core/lib/search/compile-pattern.js";
import { LineSearch } from "../../src/core/lib/search/line-search.js";
import {
  PatternError,
  type SearchMatch,
  type SearchQuery,
} from "../../src/core/lib/search/search-terms.js";
import { readPieces } from "../../src/core/lib/text/byte-source.js";
import { estimateTokens } from "../../src/core/lib/tokens/estimate-tokens.js";
import type { ArtifactStore } from "../../src/core/workspace/artifacts/artifact-store.js";
import type { SearchText } from "../../src/core/workspace/reading/grep-knowledge.js";
import { wireWorkspace } from "../../src/core/workspace/workspace.js";
import { checkHash } from "../../src/testing/check-hash.js";
import { MemoryStore } from "../../src/testing/memory-store.js";

export interface MemoryOptions extends Omit<WorkspaceOptions, "root" | "namespace"> {
  readonly store?: ArtifactStore;
  /** Default: in this thread, without a deadline. */
  readonly searchText?: SearchText;
}

/** A workspace without a disk and without a worker, in which every verb works. */
export function openMemoryWorkspace(options: MemoryOptions = {}): Workspace {
  const { readBy = "tools", toolNames = {}, digestChars = DEFAULTS.digestChars } = options;
  return wireWorkspace({
    namespace: "default",
    store: options.store ?? new MemoryStore(),
    searchText: options.searchText ?? searchHere,
    closeSearch: () => Promise.resolve(),
    hash: checkHash,
    clock: Date,
    countTokens: options.countTokens ?? estimateTokens,
    digestChars,
    notice: { readBy, toolNames },
    logger: options.logger,
  });
}

/** A workspace in memory that holds this content as the artifact "a". */
export async function memoryWorkspaceOf(
  content: ArtifactInput["content"],
  { sessionId, parentSessionId, ...options }: PutOptions & MemoryOptions = {},
): Promise<Workspace> {
  const workspace = openMemoryWorkspace(options);
  await workspace.put({ content }, { toolCallId: "a", sessionId, parentSessionId });
  return workspace;
}

const searchHere: SearchText = async (source, query, { signal }) => {
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
