import { join } from "node:path";
import type { Hash } from "../../core/engine/hash.js";
import { portableName } from "../../core/files/portable-name.js";

/** Changes when files are laid out in another way; an old tree is never misread. */
const LAYOUT_VERSION = "v1";

export const MANIFEST_NAME = "manifest.jsonl";
export const CACHE_FOLDER = ".cache";
export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/** Where things are: `<root>/v1/<namespace>/<session>/`, with a manifest and a file per artifact. */
export interface StoreLayout {
  readonly root: string;
  readonly namespaceFolder: string;
  readonly sessionFolder: (sessionId: string) => string;
  readonly fileName: (artifactId: string) => string;
}

export function createStoreLayout(root: string, namespace: string, hash: Hash): StoreLayout {
  const namespaceFolder = join(root, LAYOUT_VERSION, portableName(namespace, hash));
  return {
    root,
    namespaceFolder,
    sessionFolder: (sessionId) => join(namespaceFolder, portableName(sessionId, hash)),
    // One ending for all, since having the name is having the id; and never the manifest's.
    fileName: (artifactId) => `${portableName(artifactId, hash)}.txt`,
  };
}

export function temporaryName(random: string): string {
  return `.put-${random}.tmp`;
}
