import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import {
  requireObject,
  type OptionNames,
  requireChoice,
  requireCount,
  requireFunction,
  rejectMisspelled,
  requireText,
  checkedCounter,
} from "../core/arguments.js";
import { DEFAULTS } from "../core/defaults.js";
import type { Hash } from "../core/engine/format.js";
import { InvalidArgumentError } from "../core/errors/argument-errors.js";
import { nearestNames } from "../core/lib/text/nearest-names.js";
import { weighText, type CountTokens } from "../core/lib/tokens/estimate-tokens.js";
import type { ArtifactStore, OpenStore } from "../core/workspace/artifacts/artifact-store.js";
import type { Redact } from "../core/workspace/artifacts/redaction.js";
import {
  requireRetention,
  RETENTION_NAMES,
  type Retention,
} from "../core/workspace/artifacts/retention.js";
import type { EventLogger } from "../core/workspace/events.js";
import {
  TOOL_NAMES,
  type ToolName,
  nameTools,
  type ToolNaming,
} from "../core/workspace/reading/reading.js";
import { namesPath, type ReadBy } from "../core/workspace/reference/knowledge-list.js";
import type { Workspace } from "../core/workspace/workspace-types.js";
import { wireWorkspace } from "../core/workspace/workspace.js";
import { defer } from "../infrastructure/defer.js";
import { keyedHash, sha256 } from "../infrastructure/hash.js";
import { encryptionSeal } from "../infrastructure/sealed-store/cipher-seal.js";
import {
  loadRedactionKey,
  type EncryptionOptions,
} from "../infrastructure/sealed-store/encryption-keys.js";
import { knowHashes } from "../infrastructure/sealed-store/known-hash.js";
import { keyedSeal } from "../infrastructure/sealed-store/seal.js";
import { sealStore } from "../infrastructure/sealed-store/sealed-store.js";
import type { Searcher } from "../infrastructure/search/searcher.js";
import { timedStore } from "../infrastructure/timed-store.js";
import { storeFrom } from "./connection-string.js";
import { fileStore } from "./stores.js";
import { LEDGER } from "./read-ledger-files.js";

/** What some vendor accepts as the name of a tool; names that clients give to a server's tools are long. */
const TOOL_NAME = /^[a-zA-Z0-9_.:/-]{1,128}$/;

/** Names that every vendor would reject, or that two tools share, fail only at the first request. */
export function requireToolNames(toolNames: ToolNaming = {}): ToolNaming {
  requireObject("toolNames", toolNames, "an object of names by tool, or omitted");
  for (const [tool, name] of Object.entries(toolNames) as [ToolName, unknown][]) {
    const argument = `toolNames.${tool}`;
    if (!TOOL_NAMES.includes(tool)) {
      const tools = nearestNames(tool, TOOL_NAMES, TOOL_NAMES.length).join(", ");
      throw new InvalidArgumentError(argument, name, `omitted: the reading tools are ${tools}`);
    }
    if (name === undefined || name === false) continue;
    if (typeof name !== "string" || !TOOL_NAME.test(name)) {
      const expected = "a name of 1 to 128 letters, digits or any of _ - . : /, or false";
      throw new InvalidArgumentError(argument, name, expected);
    }
    const other = nameTools(toolNames, "all").find((one) => one.name === name && one.tool !== tool);
    if (!other) continue;
    throw new InvalidArgumentError(argument, name, `a unique name: ${other.tool} has the same one`);
  }
  return toolNames;
}

const MIN_KEY_BYTES = 16;

/** The options of `createWorkspace` that change what is stored. */
interface SealOptions {
  readonly encryption?: EncryptionOptions | undefined;
  readonly redact?: Redact | undefined;
  readonly redactionKey?: Uint8Array | undefined;
  readonly root?: string | undefined;
}

/** The store with encryption or redaction around it, and how its content is hashed. */
function withEncryption(
  store: ArtifactStore,
  namespace: string,
  { encryption, redact, redactionKey, root }: SealOptions,
): { readonly store: ArtifactStore; readonly hash: Hash } {
  if (redact !== undefined && typeof redact !== "function") {
    throw new InvalidArgumentError("redact", redact, "a function of a text, such as redactSecrets");
  }
  if (redactionKey !== undefined) requireKey(redactionKey);
  if (encryption !== undefined) {
    requireObject("encryption", encryption, "an object with key or keyFor");
    const { seal, hashKey } = encryptionSeal(encryption, namespace);
    return { store: sealStore(store, seal, hashKey), hash: keyedHash(hashKey) };
  }
  if (!redact) return { store: knowHashes(store), hash: sha256 };
  const key = redactionKey ?? (root === undefined ? randomBytes(32) : loadRedactionKey(root));
  const hash = keyedHash(key);
  const sealed = sealStore(store, keyedSeal, key);
  return {
    // Files can still be read by path: they hold what was redacted already.
    store: canBeReadByPath(store)
      ? { ...sealed, writeReadable: (record, text) => store.writeReadable(record, text) }
      : sealed,
    hash,
  };
}

function canBeReadByPath(
  store: ArtifactStore,
): store is ArtifactStore & Required<Pick<ArtifactStore, "writeReadable">> {
  return store.writeReadable !== undefined;
}

function requireKey(key: unknown): void {
  if (key instanceof Uint8Array && key.length >= MIN_KEY_BYTES) return;
  const given = key instanceof Uint8Array ? `${key.length} bytes` : typeof key;
  const expected = `a Uint8Array of at least ${MIN_KEY_BYTES} bytes`;
  throw new InvalidArgumentError("redactionKey", given, expected);
}

/** Where a workspace stores tool results, and how its agent reads them. */
export interface WorkspaceOptions {
  /**
   * The folder, for a store of plain files; created if it is missing. A relative path is resolved
   * against the working directory.
   */
  readonly root?: string | undefined;
  /**
   * The store, instead of `root`: `memoryStore()`, `fileStore()`, `sqliteStore()`, `postgresStore()`,
   * `objectStore()`, your own, or a connection string such as `"sqlite:./offload.db"`.
   */
  readonly store?: OpenStore | string | undefined;
  /** Workspaces with different namespaces are isolated from each other. Default `"default"`. */
  readonly namespace?: string | undefined;
  /** How the agent reads what was offloaded; references mention only that. Default `"tools"`. */
  readonly readBy?: ReadBy | undefined;
  /** The agent's own names for the reading tools; `false` for one that it does not have. Default: the tools' own names. */
  readonly toolNames?: ToolNaming | undefined;
  /** Maximum length of the digest in a reference, in characters; at least 80. Default 1,000. */
  readonly digestChars?: number | undefined;
  /** Maximum length of what one read returns, in characters. Default 20,000. */
  readonly readChars?: number | undefined;
  /** Counts tokens. Default: `estimateTokens`. */
  readonly countTokens?: CountTokens | undefined;
  /** Called with an event for every offload, read, skip, removal and failure. Default: none. */
  readonly logger?: EventLogger | undefined;
  /** Removes what must not be stored, such as `redactSecrets`. What it removes cannot be restored. Default: none. */
  readonly redact?: Redact | undefined;
  /**
   * With `redact`, the secret with which the original content is recognized again, for all processes that share
   * the workspace. Default: the encryption's, one that is kept in `root`, or a random one of this process.
   */
  readonly redactionKey?: Uint8Array | undefined;
  /** Encrypts content and records with AES-256-GCM before the store gets them. Default: none. */
  readonly encryption?: EncryptionOptions | undefined;
  /** Removes the oldest artifacts in the background, when the workspace is opened and after puts. Default: nothing is removed. */
  readonly retention?: Retention | undefined;
  /**
   * Whether to note what offloading brings, for `readLedger` and `context-offload stats`: tokens, counts
   * and names of tools, no content. Default true.
   */
  readonly ledger?: boolean | undefined;
}

const OPTIONS: OptionNames<WorkspaceOptions> = {
  root: true,
  store: true,
  namespace: true,
  readBy: true,
  toolNames: true,
  digestChars: true,
  readChars: true,
  countTokens: true,
  logger: true,
  redact: true,
  redactionKey: true,
  encryption: true,
  retention: true,
  ledger: true,
};

/**
 * A workspace on plain files or in another store: keeps tool results, which can then be read in parts.
 *
 * @example
 * const workspace = createWorkspace({ root: ".offload" });
 * const { record } = await workspace.put({ content: log }, { toolCallId: "toolu_01", sessionId: "s1" });
 * const { text } = await workspace.grepKnowledge(record.artifactId, "ERROR", { sessionId: "s1" });
 */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  requireObject("options", options, "an object with root or store");
  rejectMisspelled(options, OPTIONS);
  const open = resolveStore(options);
  const { namespace = "default", countTokens } = options;
  requireText("namespace", namespace, "the name that isolates workspaces in one folder");
  requireChoice("readBy", options.readBy, ["tools", "path", "both", "none"]);
  const toolNames = requireToolNames(options.toolNames);
  if (options.logger !== undefined) {
    requireFunction("logger", options.logger, "a function that takes an event");
  }
  const searcher = loadSearcherOnUse(JSON.stringify([placeOf(options), namespace]));
  const { storeCall } = options.logger ?? {};
  const opened = open(namespace);
  const { store, hash } = withEncryption(
    storeCall ? timedStore(opened, storeCall) : opened,
    namespace,
    options,
  );
  if (namesPath(options.readBy ?? "tools") && !store.writeReadable) {
    const why = options.encryption ? "with encryption" : "with a store that has no files";
    throw new InvalidArgumentError("readBy", options.readBy, `"tools" or "none" ${why}`);
  }
  return wireWorkspace({
    namespace,
    store,
    searchText: (target, query, limits) => searcher.search(target, query, limits),
    closeSearch: async () => {
      await store.close?.();
      await searcher.close();
    },
    hash,
    redact: options.redact,
    retention:
      options.retention && requireRetention("retention", options.retention, RETENTION_NAMES),
    defer,
    clock: { now: () => Date.now(), elapsed: () => Math.floor(performance.now()) },
    countTokens: countTokens === undefined ? weighText : checkedCounter(countTokens),
    digestChars: requireCount("digestChars", options.digestChars, DEFAULTS.digestChars, 80),
    readChars: requireCount("readChars", options.readChars, DEFAULTS.readChars),
    notice: { readBy: options.readBy ?? "tools", toolNames },
    logger: options.logger,
    isRemoved: options.root === undefined ? undefined : watchRemoval(options.root),
    openLedger:
      options.ledger === false
        ? undefined
        : () => withEncryption(open(namespace + LEDGER), namespace + LEDGER, options).store,
  });
}

/** A searcher whose code, with that of its worker, is loaded for the first search: many programs never search. */
function loadSearcherOnUse(workspace: string): Searcher {
  let isClosed = false;
  let loading: Promise<Searcher> | undefined;
  const load = async (): Promise<Searcher> => {
    const { createSearcher } = await import("../infrastructure/search/searcher.js");
    const searcher = createSearcher(workspace);
    if (isClosed) await searcher.close();
    return searcher;
  };
  return {
    search: async (source, query, options) =>
      (await (loading ??= load())).search(source, query, options),
    close: async () => {
      isClosed = true;
      await (await loading)?.close();
    },
  };
}

function watchRemoval(root: string): () => boolean {
  let wasThere = false;
  return () => {
    const isThere = existsSync(root);
    wasThere ||= isThere;
    return wasThere && !isThere;
  };
}

let otherStores = 0;

/** What two workspaces with the same artifacts have in common, as far as their options tell. */
function placeOf({ root, store }: WorkspaceOptions): string | number {
  if (root !== undefined) return resolve(root);
  return typeof store === "string" ? store : (otherStores += 1);
}

function resolveStore({ root, store }: WorkspaceOptions): OpenStore {
  if (store === undefined) return fileStore(root as string);
  if (root !== undefined) {
    throw new InvalidArgumentError("root", root, "omitted when a store is given");
  }
  if (typeof store === "string") return storeFrom(store);
  if (typeof store === "function") return store;
  const expected =
    "a store such as memoryStore(), a function of a namespace, or a connection string";
  throw new InvalidArgumentError("store", store, expected);
}
