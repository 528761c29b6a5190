import type { EventLogger } from "../core/workspace/events.js";
import type { ToolNaming } from "../core/workspace/tools/tool-naming.js";
import type { Workspace } from "../core/workspace/workspace-types.js";
import { DEFAULTS } from "../core/defaults.js";
import { MemoryArtifacts } from "../core/workspace/artifacts/memory-store.js";
import { checkHash } from "./check-hash.js";
import { estimateTokens } from "../core/lib/tokens/estimate-tokens.js";
import { searchHere } from "./search-here.js";
import { wireWorkspace } from "../core/workspace/workspace.js";

/** A store in memory, for tests: nothing outlives the process. */
export class MemoryStore extends MemoryArtifacts {
  constructor() {
    super(checkHash);
  }
}

export interface MemoryWorkspaceOptions {
  /** Maximum length of the digest in a reference, in characters. Default 1,800. */
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
    clock: { now: () => 0 },
    countTokens: estimateTokens,
    digestChars,
    readChars: DEFAULTS.readChars,
    notice: { readBy: "tools", toolNames },
    logger,
  });
}
