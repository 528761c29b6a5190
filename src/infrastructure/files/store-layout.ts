import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Hash } from "../../core/engine/format.js";
import { portableName } from "../../core/lib/text/portable-name.js";
import { Disk } from "./disk.js";

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

/** A folder below the root, with the result of the last check. */
export interface CheckedFolder {
  readonly folder: string;
  /** The folder with all links resolved, once it was found to have no links below the root. */
  realFolder: string | undefined;
}

/** Where things are: `<root>/v1/<namespace>/<session>/`, with a manifest and a file per artifact. */
export class StoreLayout {
  readonly disk = new Disk();
  readonly namespaceFolder: string;
  readonly #hash: Hash;

  constructor(
    readonly root: string,
    namespace: string,
    hash: Hash,
  ) {
    this.#hash = hash;
    this.namespaceFolder = join(root, LAYOUT_VERSION, this.#nameOf(namespace));
  }

  sessionFolder(sessionId: string): string {
    return join(this.namespaceFolder, this.#nameOf(sessionId));
  }

  /** A name for what is purged, beside the namespaces, which never begin with a dot. */
  asideName(random: string): string {
    return join(dirname(this.namespaceFolder), `.purged-${random}`);
  }

  /** What was set aside to be purged, of any namespace. */
  async findAside(): Promise<readonly string[]> {
    const parent = dirname(this.namespaceFolder);
    const names = await readdir(parent).catch(() => []);
    return names.filter((name) => name.startsWith(".purged-")).map((name) => join(parent, name));
  }

  /** The same ending for all, since the file name decides who owns the id; and not the manifest's. */
  fileName(artifactId: string): string {
    return `${this.#nameOf(artifactId)}.txt`;
  }

  /** The readable text of an artifact, for agents that read by path. */
  readableName(artifactId: string): string {
    // After a tilde a name has only the digits of a hash, so this is never an artifact's own file.
    return `${this.#nameOf(artifactId)}~readable.txt`;
  }

  /**
   * Many file systems treat `alice` and `Alice` as the same name, so names must differ by more than
   * case: one with a capital letter gets a hash of the id.
   */
  #nameOf(id: string): string {
    if (PLAIN.test(id)) return id;
    const name = portableName(id, this.#hash);
    if (name !== id || !CAPITALS.test(id)) return name;
    return `${name}~${this.#hash(id).slice(0, SHORT_HASH_CHARS)}`;
  }

  /** Rejects a folder with a link on its path below the root. */
  async checkFolder(checked: CheckedFolder): Promise<"exists" | "missing"> {
    const { root, disk } = this;
    // While the real path is the same, nothing on the path has become a link.
    const real = await disk.realPath(checked.folder);
    if (real !== undefined && real === checked.realFolder) return "exists";
    await disk.inspect(root);
    const names = relative(root, checked.folder).split(sep);
    const realRoot = await disk.realPath(root);
    const isPlain = realRoot !== undefined && real === join(realRoot, ...names);
    checked.realFolder = isPlain ? real : undefined;
    return isPlain ? "exists" : disk.rejectLinks(root, names);
  }

  /** Makes the folder unless it exists; rejects one that is a link. */
  async makeFolder(checked: CheckedFolder): Promise<void> {
    if ((await this.checkFolder(checked)) === "exists") return;
    const { root } = this;
    const first = await mkdir(checked.folder, { recursive: true, mode: FOLDER_MODE });
    // An existing root may be a project; a new one is hidden from git and from searches.
    if (first === undefined || relative(first, root).split(sep)[0] === "..") return;
    const ignored = { flag: "wx", mode: FILE_MODE };
    await writeFile(join(root, ".gitignore"), "*\n", ignored).catch(() => undefined);
  }
}

export function temporaryName(random: string): string {
  return `.put-${random}.tmp`;
}

export function isTemporaryName(name: string): boolean {
  return name.startsWith(".put-") && name.endsWith(".tmp");
}
