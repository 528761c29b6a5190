import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** What a workspace holds is for its owner alone. */
export const PRIVATE = { folder: 0o700, file: 0o600 } as const;

/**
 * Makes a folder with those above it, and returns the new ones, the deepest first. Node's own
 * `recursive` never ends where a folder exists that takes no others, as in /proc.
 */
export function makeFolder(folder: string, mode?: number): string[] {
  if (isFolder(folder)) return [];
  const above = dirname(folder) === folder ? [] : makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have been quicker.
    if (isFolder(folder)) return above;
    throw error;
  }
  return [folder, ...above];
}

/**
 * Makes the folder of a workspace as its store does: for the owner alone, and hidden from git and
 * from searches. One that exists may be a project, and is kept as it is.
 */
export function makeWorkspaceFolder(root: string): void {
  if (makeFolder(root, PRIVATE.folder).length === 0) return;
  try {
    writeFileSync(join(root, ".gitignore"), "*\n", { flag: "wx", mode: PRIVATE.file });
  } catch {
    // The store of another process has written it.
  }
}

/** Whether a folder is another or below it. */
export function isWithin(folder: string, other: string): boolean {
  const path = relative(other, folder);
  return path.split(sep)[0] !== ".." && !isAbsolute(path);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
