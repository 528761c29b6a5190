import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ContextOffloadError } from "../../core/errors/context-offload-error.js";
import { ArtifactGoneError } from "../../core/errors/reading-errors.js";
import { ReadFailedError } from "../../core/errors/storage-errors.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import { claimName } from "./claim-name.js";
import { type Disk, hasCode, identityOf } from "./disk.js";
import type { Manifest } from "./manifest.js";
import { hashFile } from "./open-content.js";
import { isTemporaryName, temporaryName } from "./store-layout.js";

/** The session that files belong to: what it lists now, and where its files are. */
type Session = Pick<Manifest, "load" | "layout">;

/**
 * Deletes a file that this process has created, unless another one has its name by now. It is moved
 * aside first: between a look and a deletion, another process may give the name to a file that is listed.
 */
export async function deleteOwn(path: string, file: string, manifest: Session): Promise<void> {
  const { disk } = manifest.layout;
  const hasIt = async (name: string) => {
    const stats = await disk.lookAt(name);
    return stats !== undefined && identityOf(stats) === file;
  };
  try {
    if (!(await hasIt(path))) return;
    const name = temporaryIn(path);
    await disk.rename(path, name);
    if (await hasIt(name)) {
      await disk.delete(name);
      return;
    }
    const aside = new Map([[path, name]]);
    await putBackListed(aside, manifest);
    if (aside.has(path)) await putBackIfFree(path, name, disk);
  } catch {
    // What is left is an orphan.
  }
}

/** Whether a file holds the content; false if it cannot be read. */
export async function holdsContent(
  path: string,
  bytes: number,
  hash: () => string,
  disk: Disk,
): Promise<boolean> {
  try {
    return (await disk.lookAt(path))?.size === bytes && (await hashFile(path, disk)) === hash();
  } catch {
    return false;
  }
}

/** Fills a temporary file and renames it over the path, unless `fill` says that it is not wanted. */
export async function replaceBy(
  path: string,
  disk: Disk,
  fill: (temporary: string) => Promise<boolean>,
): Promise<boolean> {
  const temporary = temporaryIn(path);
  try {
    const isWanted = await fill(temporary);
    if (isWanted) await disk.rename(temporary, path);
    return isWanted;
  } finally {
    await disk.delete(temporary).catch(() => undefined);
  }
}

/** A unique name in the folder of the path. */
export function temporaryIn(path: string): string {
  return join(path, "..", temporaryName(randomBytes(9).toString("hex")));
}

/** The error for a reader whose content could not be opened, or is not what its record says. */
export async function readingError(
  cause: unknown,
  record: ArtifactRecord,
  path: string,
  manifest: Session,
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

/** Whether this content is listed, and not other content with its id. */
export function isListed(
  { artifactId, hash }: ArtifactRecord,
  artifacts: ReadonlyMap<string, ArtifactRecord>,
): boolean {
  return artifacts.get(artifactId)?.hash === hash;
}

/** Whether this artifact is listed, and was not stored again since. */
export function isAsListed(
  record: ArtifactRecord,
  artifacts: ReadonlyMap<string, ArtifactRecord>,
): boolean {
  const { artifactId, createdAt } = record;
  return isListed(record, artifacts) && artifacts.get(artifactId)?.createdAt === createdAt;
}

/**
 * Moves an artifact's file back that another process has set aside: it may have been about to look it
 * up in the manifest, and may have been killed before that.
 *
 * @returns Whether it was found.
 */
export async function recoverFile(record: ArtifactRecord, manifest: Session): Promise<boolean> {
  const { location, size, hash } = record;
  const folder = dirname(location);
  try {
    if (!isListed(record, (await manifest.load()).artifacts)) return false;
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      if (!isTemporaryName(name)) continue;
      if (!(await holdsContent(path, size.bytes, () => hash, manifest.layout.disk))) continue;
      await moveBack(path, record, manifest);
      return true;
    }
  } catch {
    // Another process was quicker, or the folder cannot be changed.
  }
  return (await manifest.layout.disk.lookAt(location).catch(() => undefined)) !== undefined;
}

/**
 * Moves a file that holds an artifact's content to its name, if the artifact is listed then. A removal
 * lists first and deletes afterwards, so that what is listed after the move is deleted by it, and what
 * is not is deleted here.
 */
async function moveBack(from: string, record: ArtifactRecord, manifest: Session): Promise<void> {
  const { location } = record;
  const { disk } = manifest.layout;
  const stats = await disk.lookAt(from);
  if (!stats) return;
  try {
    // Not over the file of another artifact that got the id in the meantime.
    const wasFree = await claimName(from, location);
    const isWanted = isListed(record, (await manifest.load()).artifacts);
    if (isWanted && !wasFree) await disk.rename(from, location);
    else await disk.delete(from);
    if (wasFree && !isWanted) await deleteOwn(location, identityOf(stats), manifest);
  } catch (error) {
    // Whoever else was moving it has done so.
    if (!hasCode(error, "ENOENT")) throw error;
  }
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
  manifest: Session,
): Promise<readonly string[]> {
  const discarded = new Set<string>();
  let left = paths;
  // A reader that knew the artifact before it was removed may take its file, set aside, for one that a
  // killed process left behind, and move it back. It does so once, with what it knew then.
  for (let round = 0; left.length > 0 && round < MAX_ROUNDS; round++) {
    const movedBack: string[] = [];
    for (const [path, name] of await setAsideUnlisted(left, manifest)) {
      if (!(await manifest.layout.disk.delete(name))) movedBack.push(path);
      discarded.add(path);
    }
    left = movedBack;
  }
  return [...discarded];
}

const MAX_ROUNDS = 100;

/** @returns For each path that belongs to no artifact, the name that its file has now. */
async function setAsideUnlisted(
  paths: readonly string[],
  manifest: Session,
): Promise<ReadonlyMap<string, string>> {
  const aside = new Map<string, string>();
  try {
    for (const path of paths) await setAside(path, aside, manifest.layout.disk);
    if (aside.size > 0) await putBackListed(aside, manifest);
  } catch (error) {
    for (const [path, name] of aside)
      await putBackIfFree(path, name, manifest.layout.disk).catch(() => undefined);
    throw error;
  }
  return aside;
}

async function setAside(path: string, aside: Map<string, string>, disk: Disk): Promise<void> {
  const name = temporaryIn(path);
  try {
    await disk.rename(path, name);
    aside.set(path, name);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}

async function putBackListed(aside: Map<string, string>, manifest: Session): Promise<void> {
  const { disk } = manifest.layout;
  const { artifacts } = await manifest.load();
  for (const record of artifacts.values()) {
    const { location, size, hash } = record;
    const name = aside.get(location);
    if (name === undefined) continue;
    // Only the artifact's own content is moved back: another file may have the name by now.
    const isOwn = await holdsContent(name, size.bytes, () => hash, disk);
    await (isOwn ? moveBack(name, record, manifest) : disk.delete(name));
    aside.delete(location);
  }
  // What had a temporary name may be the file of an artifact that another process has just set aside.
  for (const [path, name] of aside) {
    if (!isTemporaryName(basename(path))) continue;
    const bytes = (await disk.lookAt(name))?.size;
    for (const record of artifacts.values()) {
      const { location, size, hash } = record;
      if (size.bytes !== bytes || (await disk.lookAt(location))) continue;
      if (!(await holdsContent(name, bytes, () => hash, disk))) continue;
      await moveBack(name, record, manifest);
      aside.delete(path);
      break;
    }
  }
}

async function putBackIfFree(path: string, name: string, disk: Disk): Promise<void> {
  if (await claimName(name, path)) await disk.delete(name);
}
