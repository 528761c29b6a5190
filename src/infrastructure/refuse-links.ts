import * as fs from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { UnsafePathError } from "../core/errors/storage-errors.js";
import { hasCode } from "./error-code.js";

const lstat = promisify(fs.lstat);

/**
 * Rejects links: every name below the root must be a real folder, or not exist.
 *
 * @returns Whether the last folder exists.
 */
export async function refuseLinks(
  root: string,
  folders: readonly string[],
): Promise<"there" | "missing"> {
  const paths = folders.map((_, index) => join(root, ...folders.slice(0, index + 1)));
  const looks = await Promise.all(paths.map(lookAt));
  const linked = looks.indexOf("link");
  const [path] = linked === -1 ? [] : paths.slice(linked);
  if (path === undefined) return looks.at(-1) === "missing" ? "missing" : "there";
  throw new UnsafePathError(path, "it is a symbolic link, which may lead out of the folder");
}

async function lookAt(path: string): Promise<"there" | "missing" | "link"> {
  try {
    return (await lstat(path)).isSymbolicLink() ? "link" : "there";
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "missing";
    throw error;
  }
}
