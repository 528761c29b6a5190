import { resolve } from "node:path";
import { requireText } from "../core/arguments.js";
import type { OpenStore } from "../core/workspace/artifacts/artifact-store.js";
import { openMemory } from "../core/workspace/artifacts/memory-store.js";
import { FileStore } from "../infrastructure/files/file-store.js";
import { sha256 } from "../infrastructure/hash.js";

/**
 * A store in memory, for tests and short-lived agents: nothing outlives the process.
 *
 * @example
 * const workspace = createWorkspace({ store: memoryStore() });
 */
export function memoryStore(): OpenStore {
  return openMemory(sha256);
}

/** A store of plain files, the same as `root` of `createWorkspace`. */
export function fileStore(root: string): OpenStore {
  const folder = resolve(requireText("root", root, "the folder for the artifacts"));
  return (namespace) => new FileStore(folder, namespace);
}
