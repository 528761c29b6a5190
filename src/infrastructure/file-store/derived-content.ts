import { randomBytes } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { collectPieces } from "../../core/reading/read-pieces.js";
import type { OpenContent } from "../../core/workspace/artifact-store.js";
import { memoryContent } from "../../core/workspace/memory-content.js";
import { hasCode } from "../error-code.js";
import { openContent } from "./open-content.js";
import { CACHE_FOLDER, FILE_MODE, FOLDER_MODE, temporaryName } from "./store-layout.js";

/** Opens data that was made from an artifact, making it when it is not there. */
export async function openDerived(
  folder: string,
  file: string,
  hash: string,
  name: string,
  make: () => AsyncIterable<Uint8Array>,
): Promise<OpenContent> {
  const cache = join(folder, CACHE_FOLDER);
  // The hash is in the name, so that an id that came to hold other content finds nothing old.
  const path = join(cache, `${file}.${hash.slice(0, 12)}.${name}`);
  try {
    return await openContent(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
  const temporary = join(cache, temporaryName(randomBytes(9).toString("hex")));
  try {
    await mkdir(cache, { recursive: true, mode: FOLDER_MODE });
    await writeFile(temporary, make(), { flag: "wx", mode: FILE_MODE });
    await rename(temporary, path);
    return await openContent(path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    // Reading must work where nothing can be written.
    if (!hasCode(error, "EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT")) throw error;
    return memoryContent(await collectPieces(make()));
  }
}

/** Forgets what was made from an artifact's file. */
export async function deleteDerived(folder: string, file: string): Promise<void> {
  const cache = join(folder, CACHE_FOLDER);
  const names = await readdir(cache).catch(() => []);
  for (const name of names) {
    if (name.startsWith(`${file}.`)) await rm(join(cache, name), { force: true });
  }
}
