import { randomBytes } from "node:crypto";
import { lstat, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { collectPieces } from "../../core/lib/text/byte-source.js";
import { memoryContent, type OpenContent } from "../../core/workspace/artifacts/artifact-store.js";
import { openContent } from "./open-content.js";
import { CACHE_FOLDER, FILE_MODE, FOLDER_MODE, temporaryName } from "./store-layout.js";

/**
 * Opens data that is derived from an artifact, and makes it if it does not exist. It is cached in a
 * folder that may be deleted at any time, at the cost of making it again.
 */
export async function openDerived(
  folder: string,
  file: string,
  hash: string,
  name: string,
  make: () => AsyncIterable<Uint8Array>,
): Promise<OpenContent> {
  const cache = join(folder, CACHE_FOLDER);
  // The hash is in the name, so that stale data is not found when an id holds other content.
  const path = join(cache, `${derivedPrefix(file, hash)}${name}`);
  try {
    await makeFolder(cache);
    return (await openSealed(path, hash)) ?? (await makeDerived(cache, path, hash, make));
  } catch (error) {
    // Reading must work even if nothing can be written.
    if (!isSystemError(error)) throw error;
    return memoryContent(await collectPieces(make()));
  }
}

/** @returns `undefined` if it does not exist or was changed. */
async function openSealed(path: string, hash: string): Promise<OpenContent | undefined> {
  // Whatever is wrong with it, it is made again.
  const kept = await openContent(path).catch(() => undefined);
  if (!kept || kept.modifiedMs === sealOf(hash, kept.size)) return kept;
  await kept.close();
  return undefined;
}

/**
 * The modification time that is set on such a file, an even second long ago: any later change to the
 * file gives it another time, and so is detected.
 */
function sealOf(hash: string, size: number): number {
  return 1_000_000_000_000 + ((parseInt(hash.slice(0, 6), 16) + size) % 200_000_000) * 2_000;
}

async function makeDerived(
  cache: string,
  path: string,
  hash: string,
  make: () => AsyncIterable<Uint8Array>,
): Promise<OpenContent> {
  const temporary = join(cache, temporaryName(randomBytes(9).toString("hex")));
  try {
    const handle = await open(temporary, "wx", FILE_MODE);
    try {
      await writeFile(handle, make());
      const seal = sealOf(hash, (await handle.stat()).size) / 1_000;
      await handle.utimes(seal, seal);
    } finally {
      await handle.close();
    }
    await replace(temporary, path);
    return await openContent(path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** The prefix of all names of data derived from an artifact's file. */
export function derivedPrefix(file: string, hash: string): string {
  return `${file}.${hash.slice(0, 12)}.`;
}

/** Deletes the data derived from an artifact's file. */
export async function deleteDerived(folder: string, file: string, hash: string): Promise<void> {
  for (const name of await listDerived(folder)) {
    if (name.startsWith(derivedPrefix(file, hash)))
      await rm(join(folder, CACHE_FOLDER, name), { force: true, recursive: true });
  }
}

/** The names of everything in the folder for derived data, if it is a folder. */
export async function listDerived(folder: string): Promise<readonly string[]> {
  const cache = join(folder, CACHE_FOLDER);
  try {
    return (await lstat(cache)).isDirectory() ? await readdir(cache) : [];
  } catch {
    return [];
  }
}

/** Renames, even over a folder. */
async function replace(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async () => {
    await rm(to, { recursive: true, force: true });
    await rename(from, to);
  });
}

/** Makes the folder unless it exists; rejects a link in its place. */
async function makeFolder(cache: string): Promise<void> {
  await mkdir(cache, { mode: FOLDER_MODE }).catch(async (error: unknown) => {
    if (!(await lstat(cache)).isDirectory()) throw error;
  });
}

/** An error of the operating system, rather than of the code that makes the data. */
function isSystemError(error: unknown): boolean {
  return typeof error === "object" && error !== null && "syscall" in error;
}
