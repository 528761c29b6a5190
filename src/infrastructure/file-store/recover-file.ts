import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ContextOffloadError } from "../../core/errors/context-offload-error.js";
import { ArtifactGoneError } from "../../core/errors/reading-errors.js";
import { ReadFailedError } from "../../core/errors/storage-errors.js";
import type { SessionListing } from "../../core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import { claimName, hasCode } from "../claim-name.js";
import { deleteFile, lookAt, renameFile } from "./file-calls.js";
import { deleteOwn, holdsContent, temporaryIn } from "./incoming-content.js";
import { identityOf } from "./kept-file.js";
import type { Manifest } from "./manifest.js";
import { isTemporaryName } from "./store-layout.js";

/** What to tell a reader whose content could not be opened, or is not what its record says. */
export async function readingFault(
  cause: unknown,
  record: ArtifactRecord,
  path: string,
  manifest: Manifest,
): Promise<unknown> {
  const { artifactId, metadata } = record;
  const gone = (why: "removed" | "missing") =>
    new ArtifactGoneError(artifactId, why, metadata.tool_name, { cause });
  const isMissing = hasCode(cause, "ENOENT");
  if (isMissing || hasCode(cause, "ARTIFACT_DAMAGED")) {
    // Removed since its record was listed; its id may have another file by now.
    const listing = await manifest.load().catch(() => undefined);
    if (listing && !isListed(record, listing.artifacts)) return gone("removed");
  }
  if (ContextOffloadError.isInstance(cause)) return cause;
  return isMissing ? gone("missing") : new ReadFailedError(path, cause);
}

/** Whether this artifact is listed, and not another one with its id. */
export function isListed(
  { artifactId, hash, createdAt }: ArtifactRecord,
  artifacts: ReadonlyMap<string, ArtifactRecord>,
): boolean {
  const listed = artifacts.get(artifactId);
  return listed?.hash === hash && listed.createdAt === createdAt;
}

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
