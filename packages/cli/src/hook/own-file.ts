import { closeSync, constants, lstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PRIVATE } from "../make-folder.js";

/** Opens a plain file only: a repository may bring a link of this name, to a file outside of it. */
export function openOwnFile(root: string, name: string, flags: number): number | undefined {
  const path = join(root, name);
  const found = lstatSync(path, { throwIfNoEntry: false });
  // Where O_NOFOLLOW is missing and counts as 0, as on Windows, what was just seen has to do.
  if (found && (!found.isFile() || found.nlink > 1)) return undefined;
  return openSync(path, flags | constants.O_NOFOLLOW, PRIVATE.file);
}

/** The text of such a file; "" if it has none. */
export function readOwnFile(root: string, name: string): string {
  try {
    const file = openOwnFile(root, name, constants.O_RDONLY);
    if (file === undefined) return "";
    try {
      return readFileSync(file, "utf8");
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
