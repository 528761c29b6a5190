import { requireChoice, requireCount, requireObject, requireText } from "../core/arguments.js";
import { resolve } from "node:path";
import { checkedCounter } from "../core/checked-counter.js";
import { DEFAULTS } from "../core/defaults.js";
import { InvalidArgumentError } from "../core/errors/argument-errors.js";
import { estimateTokens, type CountTokens } from "../core/lib/tokens/estimate-tokens.js";
import type { EventLogger } from "../core/workspace/events.js";
import type { ReadBy } from "../core/workspace/reference/knowledge-list.js";
import type { ToolNaming } from "../core/workspace/tools/tool-naming.js";
import { TOOL_NAMES } from "../core/workspace/reading/reading.js";
import { wireWorkspace } from "../core/workspace/workspace.js";
import type { Workspace } from "../core/workspace/workspace-types.js";
import { FileStore } from "../infrastructure/file-store/file-store.js";
import { sha256 } from "../infrastructure/hash.js";
import { createSearcher } from "../infrastructure/search/searcher.js";

/** Where a workspace stores tool results, and how its agent reads them. */
export interface WorkspaceOptions {
  /** The folder; created if it is missing. A relative path is resolved against the working directory. */
  readonly root: string;
  /** Workspaces with different namespaces are isolated from each other. Default `"default"`. */
  readonly namespace?: string | undefined;
  /** How the agent reads what was offloaded; references mention only that. Default `"tools"`. */
  readonly readBy?: ReadBy | undefined;
  /** The agent's own names for the reading tools; `false` for one that it does not have. Default: the tools' own names. */
  readonly toolNames?: ToolNaming | undefined;
  /** Maximum length of the digest in a reference, in characters; at least 80. Default 2,000. */
  readonly digestChars?: number | undefined;
  /** Maximum length of what one read returns, in characters. Default 20,000. */
  readonly readChars?: number | undefined;
  /** Counts tokens. Default: `estimateTokens`. */
  readonly countTokens?: CountTokens | undefined;
  /** Called with an event for every offload, read, skip, removal and failure. Default: none. */
  readonly logger?: EventLogger | undefined;
}

/**
 * A workspace on plain files: stores tool results, which can then be read in parts.
 *
 * @example
 * const workspace = createWorkspace({ root: ".offload" });
 * const { record } = await workspace.put({ content: log }, { toolCallId: "toolu_01", sessionId: "s1" });
 * const { text } = await workspace.grepKnowledge(record.artifactId, "ERROR", { sessionId: "s1" });
 */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  requireObject("options", options, "an object with root");
  const root = resolve(requireText("root", options.root, "the folder for the artifacts"));
  const { namespace = "default", countTokens = estimateTokens } = options;
  requireText("namespace", namespace, "the name that isolates workspaces in one folder");
  requireChoice("readBy", options.readBy, ["tools", "path", "none"]);
  for (const name of Object.keys(options.toolNames ?? {})) {
    requireChoice("toolNames", name, TOOL_NAMES);
  }
  if (options.logger !== undefined && typeof options.logger !== "function") {
    throw new InvalidArgumentError("logger", options.logger, "a function that takes an event");
  }
  const searcher = createSearcher();
  const store = new FileStore(root, namespace);
  return wireWorkspace({
    namespace,
    store,
    searchText: (target, query, limits) => searcher.search(target, query, limits),
    closeSearch: () => {
      store.close();
      return searcher.close();
    },
    hash: sha256,
    clock: Date,
    countTokens: checkedCounter(countTokens),
    digestChars: requireCount("digestChars", options.digestChars, DEFAULTS.digestChars, 80),
    readChars: requireCount("readChars", options.readChars, DEFAULTS.readChars),
    notice: { readBy: options.readBy ?? "tools", toolNames: options.toolNames ?? {} },
    logger: options.logger,
  });
}
