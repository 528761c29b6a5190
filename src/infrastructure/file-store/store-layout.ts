import type { Hash } from "../../core/engine/format.js";
import { join, relative, sep } from "node:path";
import { mkdir, writeFile } from "node:fs/promises";
import { portableName } from "../../core/files/file-layout.js";
import { Disk } from "./file-calls.js";
import { refuseLinks } from "../claim-name.js";

/** Changes with the layout of files, so that an old tree is never misread. */
const LAYOUT_VERSION = "v1";

export const MANIFEST_NAME = "manifest.jsonl";
export const CACHE_FOLDER = ".cache";
export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

const CAPITALS = /[A-Z]/;
/** What nearly every id is; no such name is reserved, since those have at most four characters. */
const PLAIN = /^[a-z0-9_][a-z0-9_-]{4,199}$/;
const SHORT_HASH_CHARS = 12;

/** Where things are: `<root>/v1/<namespace>/<session>/`, with a manifest and a file per artifact. */
export interface StoreLayout {
  readonly root: string;
  readonly disk: Disk;
  readonly namespaceFolder: string;
  readonly sessionFolder: (sessionId: string) => string;
  readonly fileName: (artifactId: string) => string;
  /** The readable text of an artifact, for agents that read by path. */
  readonly readableName: (artifactId: string) => string;
}

export function createStoreLayout(root: string, namespace: string, hash: Hash): StoreLayout {
  const nameOf = (id: string) => storeName(id, hash);
  const namespaceFolder = join(root, LAYOUT_VERSION, nameOf(namespace));
  return {
    root,
    disk: new Disk(),
    namespaceFolder,
    sessionFolder: (sessionId) => join(namespaceFolder, nameOf(sessionId)),
    // The same ending for all, since the file name decides who owns the id; and not the manifest's.
    fileName: (artifactId) => `${nameOf(artifactId)}.txt`,
    // After a tilde a name has only the digits of a hash, so this is never an artifact's own file.
    readableName: (artifactId) => `${nameOf(artifactId)}~readable.txt`,
  };
}

/**
 * Many file systems treat `alice` and `Alice` as the same name, so names must differ by more than
 * case: one with a capital letter gets a hash of the id.
 */
function storeName(id: string, hash: Hash): string {
  if (PLAIN.test(id)) return id;
  const name = portableName(id, hash);
  if (name !== id || !CAPITALS.test(id)) return name;
  return `${name}~${hash(id).slice(0, SHORT_HASH_CHARS)}`;
}

export function temporaryName(random: string): string {
  return `.put-${random}.tmp`;
}

export function isTemporaryName(name: string): boolean {
  return name.startsWith(".put-") && name.endsWith(".tmp");
}

/** A folder below the root, with the result of the last check. */
export interface CheckedFolder {
  readonly folder: string;
  /** The folder with all links resolved, once it was found to have no links below the root. */
  realFolder: string | undefined;
}

/** Rejects a folder with a link on its path below the root. */
export async function checkFolder(
  { root, disk }: StoreLayout,
  checked: CheckedFolder,
): Promise<"there" | "missing"> {
  // While the real path is the same, nothing on the path has become a link.
  const real = await disk.realPath(checked.folder);
  if (real !== undefined && real === checked.realFolder) return "there";
  await disk.inspect(root);
  const names = relative(root, checked.folder).split(sep);
  const realRoot = await disk.realPath(root);
  const isPlain = realRoot !== undefined && real === join(realRoot, ...names);
  checked.realFolder = isPlain ? real : undefined;
  return isPlain ? "there" : refuseLinks(root, names);
}

/** Makes the folder unless it exists. */
export async function prepareFolder(layout: StoreLayout, checked: CheckedFolder): Promise<void> {
  if ((await checkFolder(layout, checked)) === "there") return;
  const { root } = layout;
  const first = await mkdir(checked.folder, { recursive: true, mode: FOLDER_MODE });
  // An existing root may be a project; a new one is hidden from git and from searches.
  if (first !== undefined && relative(first, root).split(sep)[0] !== "..") await hideFromGit(root);
}

async function hideFromGit(root: string): Promise<void> {
  await writeFile(join(root, ".gitignore"), "*\n", { flag: "wx", mode: FILE_MODE }).catch(
    () => undefined,
  );
}
