import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import type { SessionListing } from "../../core/workspace/artifacts/artifact-store.js";
import { claimName } from "../claim-name.js";
import { deleteFile, lookAt, renameFile } from "./file-calls.js";
import { deleteOwn, holdsContent } from "./incoming-content.js";
import { identityOf } from "./kept-file.js";
import { isListed } from "./reading-fault.js";
import { isTemporaryName } from "./store-layout.js";

type List = () => Promise<SessionListing>;

/**
 * Moves an artifact's file back that another process has set aside: it may have been about to look it
 * up in the manifest, and may have been killed before that.
 *
 * @returns Whether it was found.
 */
export async function recoverFile(record: ArtifactRecord, list: List): Promise<boolean> {
  const { location, size, hash } = record;
  const folder = dirname(location);
  try {
    if (!isListed(record, (await list()).artifacts)) return false;
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (!isTemporaryName(name)) continue;
      if (!(await holdsContent(path, { bytes: size.bytes, hash: () => hash }))) continue;
      await moveBack(path, record, list);
      return true;
    }
  } catch {
    // Another process was quicker, or the folder cannot be changed.
  }
  return (await lookAt(location).catch(() => undefined)) !== undefined;
}

/**
 * Moves a file that holds an artifact's content to its name, if the artifact is listed then. A removal
 * lists first and deletes afterwards, so that what is listed after the move is deleted by it, and what
 * is not is deleted here.
 */
export async function moveBack(from: string, record: ArtifactRecord, list: List): Promise<void> {
  const { location } = record;
  const stats = await lookAt(from);
  if (!stats) return;
  // Not over the file of another artifact that has got the id meanwhile.
  const wasFree = await claimName(from, location);
  const isWanted = isListed(record, (await list()).artifacts);
  if (isWanted && !wasFree) await renameFile(from, location);
  else await deleteFile(from);
  if (wasFree && !isWanted) await deleteOwn(location, identityOf(stats));
}
