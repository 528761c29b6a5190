import { DEFAULTS } from "../core/defaults.js";
import { estimateTokens } from "../core/lib/tokens/estimate-tokens.js";
import { wireWorkspace } from "../core/workspace/workspace.js";
import type { Workspace } from "../core/workspace/workspace-types.js";
import { checkHash } from "./check-hash.js";
import { MemoryStore } from "./memory-store.js";

/** A workspace in memory, for tests of formats and agents. It cannot search. */
export function createMemoryWorkspace(): Workspace {
  return wireWorkspace({
    namespace: "memory",
    store: new MemoryStore(),
    searchText: () => Promise.reject(new Error("a workspace in memory cannot search")),
    closeSearch: () => Promise.resolve(),
    hash: checkHash,
    clock: { now: () => 0 },
    countTokens: estimateTokens,
    digestChars: DEFAULTS.digestChars,
    notice: { readBy: "tools", toolNames: {} },
    logger: undefined,
  });
}
