import { randomBytes } from "node:crypto";
import { lstat, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { collectPieces } from "../../core/lib/text/byte-source.js";
import type { OpenContent } from "../../core/workspace/artifacts/artifact-store.js";
import { memoryContent } from "../../core/workspace/artifacts/memory-content.js";
import { openContent } from "./open-content.js";
import { CACHE_FOLDER, FILE_MODE, FOLDER_MODE, temporaryName } from "./store-layout.js";

/**
 * Opens data that was made from an artifact and makes it when it is not there. It is kept in a folder
 * that anybody may delete at any time, which costs nothing but the time to make it again.
 */
export async function openDerived(
  folder: string,
  file: string,
  hash: string,
  name: string,
  make: () => AsyncIterable<Uint8Array>,
): Promise<OpenContent> {
  const cache = join(folder, CACHE_FOLDER);
  // The hash is in the name, so that an id that came to hold other content finds nothing old.
  const path = join(cache, `${derivedPrefix(file, hash)}${name}`);
  try {
    await makeFolder(cache);
    return (await openSealed(path, hash)) ?? (await makeDerived(cache, path, hash, make));
  } catch (error) {
    // Reading must work where nothing can be written, and whatever stands in the way.
    if (!isSystemError(error)) throw error;
    return memoryContent(await collectPieces(make()));
  }
}

/** @returns `undefined` when it is not there, or not as it was made. */
async function openSealed(path: string, hash: string): Promise<OpenContent | undefined> {
  // Whatever is wrong with it, it is made anew.
  const kept = await openContent(path).catch(() => undefined);
  if (!kept || kept.modifiedMs === sealOf(hash, kept.size)) return kept;
  await kept.close();
  return undefined;
}

/**
 * The time that such a file is given for its last change, even seconds long ago: whoever writes to it
 * later, or cuts it short, gives it another.
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

/** How the names of all that was made from an artifact's file begin. */
export function derivedPrefix(file: string, hash: string): string {
  return `${file}.${hash.slice(0, 12)}.`;
}

/** Forgets what was made from an artifact's file. */
export async function deleteDerived(folder: string, file: string, hash: string): Promise<void> {
  for (const name of await listDerived(folder)) {
    if (name.startsWith(derivedPrefix(file, hash)))
      await rm(join(folder, CACHE_FOLDER, name), { force: true, recursive: true });
  }
}

/** The names of all that is in the folder for derived data, if it is a folder. */
export async function listDerived(folder: string): Promise<readonly string[]> {
  const cache = join(folder, CACHE_FOLDER);
  try {
    return (await lstat(cache)).isDirectory() ? await readdir(cache) : [];
  } catch {
    return [];
  }
}

/** Renames, also over a folder that somebody put there. */
async function replace(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async () => {
    await rm(to, { recursive: true, force: true });
    await rename(from, to);
  });
}

/** Makes the folder unless it is there; a link in its place would lead elsewhere. */
async function makeFolder(cache: string): Promise<void> {
  await mkdir(cache, { mode: FOLDER_MODE }).catch(async (error: unknown) => {
    if (!(await lstat(cache)).isDirectory()) throw error;
  });
}

/** An error of the operating system, and not one of who makes the data. */
function isSystemError(error: unknown): boolean {
  return typeof error === "object" && error !== null && "syscall" in error;
}
