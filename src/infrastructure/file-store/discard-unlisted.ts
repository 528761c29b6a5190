import type { SessionListing } from "../../core/workspace/artifacts/artifact-store.js";
import { hasCode } from "../error-code.js";
import { claimName } from "../claim-name.js";
import { deleteFile, renameFile } from "./file-calls.js";
import { holdsContent, temporaryIn } from "./incoming-content.js";
import { moveBack } from "./recover-file.js";

/**
 * Deletes files of a session that belong to no artifact. Another process may be about to list one, so
 * files are first moved aside and then looked up in the manifest, while a process that lists a file
 * checks afterwards that it still exists. One of the two always notices the other.
 *
 * @returns The paths that were deleted.
 */
export async function discardUnlisted(
  paths: readonly string[],
  list: () => Promise<SessionListing>,
): Promise<readonly string[]> {
  const discarded = new Set<string>();
  let left = paths;
  // A reader that knew the artifact before it was removed may take its file, set aside, for one that a
  // killed process left behind, and move it back. It does so once, with what it knew then.
  for (let round = 0; left.length > 0 && round < MOST_ROUNDS; round++) {
    const movedBack: string[] = [];
    for (const [path, name] of await setAsideUnlisted(left, list)) {
      if (!(await deleteFile(name))) movedBack.push(path);
      discarded.add(path);
    }
    left = movedBack;
  }
  return [...discarded];
}

const MOST_ROUNDS = 100;

/** @returns For each path that belongs to no artifact, the name that its file has now. */
async function setAsideUnlisted(
  paths: readonly string[],
  list: () => Promise<SessionListing>,
): Promise<ReadonlyMap<string, string>> {
  const aside = new Map<string, string>();
  try {
    for (const path of paths) await setAside(path, aside);
    if (aside.size > 0) await putBackListed(aside, list);
  } catch (error) {
    for (const [path, name] of aside) await putBackIfFree(path, name).catch(() => undefined);
    throw error;
  }
  return aside;
}

async function setAside(path: string, aside: Map<string, string>): Promise<void> {
  const name = temporaryIn(path);
  try {
    await renameFile(path, name);
    aside.set(path, name);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}

async function putBackListed(
  aside: Map<string, string>,
  list: () => Promise<SessionListing>,
): Promise<void> {
  for (const record of (await list()).artifacts.values()) {
    const { location, size, hash } = record;
    const name = aside.get(location);
    if (name === undefined) continue;
    // Only the artifact's own content is moved back: another file may have the name by now.
    const isOwn = await holdsContent(name, { bytes: size.bytes, hash: () => hash });
    await (isOwn ? moveBack(name, record, list) : deleteFile(name));
    aside.delete(location);
  }
}

async function putBackIfFree(path: string, name: string): Promise<void> {
  if (await claimName(name, path)) await deleteFile(name);
}
