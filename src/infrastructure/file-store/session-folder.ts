import { mkdir, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { refuseLinks } from "../refuse-links.js";
import { realPath } from "./file-calls.js";
import { FILE_MODE, FOLDER_MODE } from "./store-layout.js";

/** A folder below the root, remembered with what it was found to be. */
export interface CheckedFolder {
  readonly folder: string;
  /** The folder with every link followed, once none was found below the root. */
  realFolder: string | undefined;
}

/** Nothing is read or written through a link below the root. */
export async function checkFolder(
  root: string,
  checked: CheckedFolder,
): Promise<"there" | "missing"> {
  // As long as this one call gives the same answer, nothing on the way has become a link.
  const real = await realPath(checked.folder);
  if (real !== undefined && real === checked.realFolder) return "there";
  const names = relative(root, checked.folder).split(sep);
  const found = await refuseLinks(root, names);
  const realRoot = await realPath(root);
  const isPlain = realRoot !== undefined && real === join(realRoot, ...names);
  checked.realFolder = isPlain ? real : undefined;
  return found;
}

/** Makes the folder unless it is there. */
export async function prepareFolder(root: string, checked: CheckedFolder): Promise<void> {
  if ((await checkFolder(root, checked)) === "there") return;
  const first = await mkdir(checked.folder, { recursive: true, mode: FOLDER_MODE });
  // A root that was there may be a project; one that is new gets hidden from git and from searches.
  if (first !== undefined && relative(first, root).split(sep)[0] !== "..") await hideFromGit(root);
}

async function hideFromGit(root: string): Promise<void> {
  await writeFile(join(root, ".gitignore"), "*\n", { flag: "wx", mode: FILE_MODE }).catch(
    () => undefined,
  );
}
