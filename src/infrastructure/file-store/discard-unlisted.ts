import { randomBytes } from "node:crypto";
import { rename, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { claimName } from "../claim-name.js";
import { hasCode } from "../error-code.js";
import type { Manifest } from "./manifest.js";
import { temporaryName } from "./store-layout.js";

/**
 * Deletes a file of the session that no artifact claims. Another process may be about to list it:
 * so it is set aside first and looked up after, and who lists a file looks after that whether it is
 * still there. One of the two sees the other.
 *
 * @returns Whether it was deleted.
 */
export async function discardUnlisted(manifest: Manifest, path: string): Promise<boolean> {
  const aside = join(manifest.folder, temporaryName(randomBytes(9).toString("hex")));
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
  let isListed = true;
  try {
    const { artifacts } = await manifest.load();
    const file = basename(path);
    isListed = [...artifacts.keys()].some((id) => manifest.layout.fileName(id) === file);
  } finally {
    if (isListed) await claimName(aside, path);
    await unlink(aside).catch((error: unknown) => {
      if (!hasCode(error, "ENOENT")) throw error;
    });
  }
  return !isListed;
}
