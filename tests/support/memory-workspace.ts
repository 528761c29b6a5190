import { DEFAULTS } from "../../src/core/defaults.js";
import { estimateTokens } from "../../src/core/estimate-tokens.js";
import type { ArtifactStore } from "../../src/core/workspace/artifacts/artifact-store.js";
import type { Clock } from "../../src/core/workspace/events.js";
import type { SearchText } from "../../src/core/workspace/reading/grep-knowledge.js";
import { wireWorkspace } from "../../src/core/workspace/workspace.js";
import type { ArtifactInput, PutOptions, Workspace, WorkspaceOptions } from "../../src/index.js";
import { MemoryStore, checkHash, searchHere } from "../../src/testing/memory-store.js";

export interface MemoryOptions extends Omit<WorkspaceOptions, "root" | "namespace" | "store"> {
  readonly store?: ArtifactStore | undefined;
  /** Default: the system's. */
  readonly clock?: Partial<Clock>;
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
    clock: { now: Date.now, elapsed: () => Math.floor(performance.now()), ...options.clock },
    countTokens: options.countTokens ?? estimateTokens,
    digestChars,
    readChars: options.readChars ?? DEFAULTS.readChars,
    notice: { readBy, toolNames },
    logger: options.logger,
  });
}

/** A workspace in memory that holds this content as the artifact "a". */
export async function memoryWorkspaceOf(
  content: ArtifactInput["content"],
  { sessionId = "default", parentSessionId, ...options }: Partial<PutOptions> & MemoryOptions = {},
): Promise<Workspace> {
  const workspace = openMemoryWorkspace(options);
  await workspace.put({ content }, { toolCallId: "a", sessionId, parentSessionId });
  return workspace;
}
