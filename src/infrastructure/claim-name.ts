import { link, rename, unlink, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { hasCode } from "./error-code.js";

/** What systems answer on disks that have no hard links (FAT, exFAT, network folders). */
const NO_LINKS = [
  ...["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"],
  ...["EACCES", "EINVAL", "EISDIR", "EXDEV", "UNKNOWN"],
];

/**
 * Gives a temporary file its final name, unless somebody has that name. A hard link is made whole or
 * fails, also against other processes.
 *
 * @returns Whether the name was free.
 */
export async function claimName(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    if (hasCode(error, ...NO_LINKS)) return claimByPlaceholder(temporary, path);
    throw error;
  }
}

/**
 * Without links, a placeholder holds the name until the content is renamed over it. A process that
 * ends in between leaves the placeholder: a name that is not given out again, and nothing lost. It
 * holds the temporary name, so that nobody takes it for a content of theirs, an empty one included.
 */
async function claimByPlaceholder(temporary: string, path: string): Promise<boolean> {
  try {
    await writeFile(path, basename(temporary), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
  try {
    await rename(temporary, path);
    return true;
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  }
}
