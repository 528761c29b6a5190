import { DEFAULTS } from "../core/defaults.js";
import { SearchFailedError } from "../core/errors/search-failed-error.js";
import { estimateTokens } from "../core/lib/tokens/estimate-tokens.js";
import type { EventLogger } from "../core/workspace/events.js";
import type { ToolNaming } from "../core/workspace/tools/tool-naming.js";
import { wireWorkspace } from "../core/workspace/workspace.js";
import type { Workspace } from "../core/workspace/workspace-types.js";
import { checkHash } from "./check-hash.js";
import { MemoryStore } from "./memory-store.js";

export interface MemoryWorkspaceOptions {
  /** Maximum length of the digest in a reference, in characters. Default 2,400. */
  readonly digestChars?: number | undefined;
  /** The agent's own names for the reading tools; `false` for one that it does not have. Default: the tools' own names. */
  readonly toolNames?: ToolNaming | undefined;
  /** Called with an event for every offload, read, skip, removal and failure. Default: none. */
  readonly logger?: EventLogger | undefined;
}

/** A workspace in memory, for tests of formats and agents. It does not support `grepKnowledge`. */
export function createMemoryWorkspace(options: MemoryWorkspaceOptions = {}): Workspace {
  const { digestChars = DEFAULTS.digestChars, toolNames = {}, logger } = options;
  return wireWorkspace({
    namespace: "memory",
    store: new MemoryStore(),
    searchText: () => Promise.reject(new SearchFailedError("a workspace in memory cannot search")),
    closeSearch: () => Promise.resolve(),
    hash: checkHash,
    clock: { now: () => 0 },
    countTokens: estimateTokens,
    digestChars,
    notice: { readBy: "tools", toolNames },
    logger,
  });
}
