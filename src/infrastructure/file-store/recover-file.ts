import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import { lookAt, renameFile } from "./file-calls.js";
import { holdsContent } from "./incoming-content.js";
import { isTemporaryName } from "./store-layout.js";

/**
 * Moves an artifact's file back that another process has set aside: it may have been about to look it
 * up in the manifest, and may have been killed before that.
 *
 * @returns Whether it was found.
 */
export async function recoverFile({ location, size, hash }: ArtifactRecord): Promise<boolean> {
  const folder = dirname(location);
  try {
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (!isTemporaryName(name)) continue;
      if (!(await holdsContent(path, { bytes: size.bytes, hash: () => hash }))) continue;
      if (!(await lookAt(location))) await renameFile(path, location);
      return true;
    }
  } catch {
    // Another process was quicker, or the folder cannot be changed.
  }
  return (await lookAt(location).catch(() => undefined)) !== undefined;
}
