import { mkdir, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { refuseLinks } from "../refuse-links.js";
import { realPath } from "./file-calls.js";
import { FILE_MODE, FOLDER_MODE } from "./store-layout.js";

/** A folder below the root, with the result of the last check. */
export interface CheckedFolder {
  readonly folder: string;
  /** The folder with all links resolved, once it was found to have no links below the root. */
  realFolder: string | undefined;
}

/** Rejects a folder with a link on its path below the root. */
export async function checkFolder(
  root: string,
  checked: CheckedFolder,
): Promise<"there" | "missing"> {
  // While the real path is the same, nothing on the path has become a link.
  const real = await realPath(checked.folder);
  if (real !== undefined && real === checked.realFolder) return "there";
  const names = relative(root, checked.folder).split(sep);
  const found = await refuseLinks(root, names);
  const realRoot = await realPath(root);
  const isPlain = realRoot !== undefined && real === join(realRoot, ...names);
  checked.realFolder = isPlain ? real : undefined;
  return found;
}

/** Makes the folder unless it exists. */
export async function prepareFolder(root: string, checked: CheckedFolder): Promise<void> {
  if ((await checkFolder(root, checked)) === "there") return;
  const first = await mkdir(checked.folder, { recursive: true, mode: FOLDER_MODE });
  // An existing root may be a project; a new one is hidden from git and from searches.
  if (first !== undefined && relative(first, root).split(sep)[0] !== "..") await hideFromGit(root);
}

async function hideFromGit(root: string): Promise<void> {
  await writeFile(join(root, ".gitignore"), "*\n", { flag: "wx", mode: FILE_MODE }).catch(
    () => undefined,
  );
}
