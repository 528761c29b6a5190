import * as fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { UnsafePathError } from "../core/errors/unsafe-path-error.js";
import { hasCode } from "./error-code.js";

const lstat = promisify(fs.lstat);

/** Nothing goes through a link: a folder below the root must be a folder, or not be there. */
export async function refuseLinks(root: string, folders: readonly string[]): Promise<void> {
  let path = root;
  for (const folder of folders) {
    path = join(path, folder);
    try {
      const stats = await lstat(path);
      if (stats.isSymbolicLink()) {
        throw new UnsafePathError(path, "it is a symbolic link, which may lead out of the folder");
      }
    } catch (error) {
      if (hasCode(error, "ENOENT")) return;
      throw error;
    }
  }
}
