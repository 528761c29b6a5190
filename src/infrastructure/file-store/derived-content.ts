import { createHash, randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { collectPieces } from "../../core/lib/text/read-pieces.js";
import type { OpenContent } from "../../core/workspace/artifacts/artifact-store.js";
import { memoryContent } from "../../core/workspace/artifacts/memory-content.js";
import { hashContent, openContent, type OpenFile } from "./open-content.js";
import { CACHE_FOLDER, FILE_MODE, FOLDER_MODE, temporaryName } from "./store-layout.js";

/** How many files are remembered as checked. */
const MAX_CHECKED = 256;

/**
 * Data that was made from an artifact, in a folder that anybody may delete or spoil. Each has its
 * hash in a file beside it, and is made anew when the two do not agree.
 */
export class DerivedContents {
  /** The stamps of files whose hash was right, so that it is not computed at every opening. */
  readonly #checked = new Map<string, string>();

  /** Opens what was made from an artifact, making it when it is not there. */
  async open(
    folder: string,
    file: string,
    hash: string,
    name: string,
    make: () => AsyncIterable<Uint8Array>,
  ): Promise<OpenContent> {
    const cache = join(folder, CACHE_FOLDER);
    // The hash is in the name, so that an id that came to hold other content finds nothing old.
    const path = join(cache, `${derivedPrefix(file, hash)}${name}`);
    try {
      await makeFolder(cache);
      return (await this.#openKept(path)) ?? (await this.#make(cache, path, make));
    } catch (error) {
      // Reading must work where nothing can be written, and whatever stands in the way.
      if (!isSystemError(error)) throw error;
      return memoryContent(await collectPieces(make()));
    }
  }

  /** @returns `undefined` when it is not there, or not what was written. */
  async #openKept(path: string): Promise<OpenContent | undefined> {
    let kept: OpenFile | undefined;
    try {
      kept = await openContent(path);
      if (this.#checked.get(path) === kept.stamp) return kept;
      if ((await readSum(path)) === (await hashContent(kept))) {
        this.#remember(path, kept.stamp);
        return kept;
      }
    } catch {
      // It is a cache: whatever is wrong with it, it is made anew.
    }
    await kept?.close();
    return undefined;
  }

  async #make(
    cache: string,
    path: string,
    make: () => AsyncIterable<Uint8Array>,
  ): Promise<OpenContent> {
    const temporary = join(cache, temporaryName(randomBytes(9).toString("hex")));
    const sum = sumOf(temporary);
    try {
      const hash = createHash("sha256");
      await writeFile(temporary, hashed(make(), hash), { flag: "wx", mode: FILE_MODE });
      await writeFile(sum, hash.digest("hex"), { flag: "wx", mode: FILE_MODE });
      await replace(sum, sumOf(path));
      await replace(temporary, path);
      const made = await openContent(path);
      this.#remember(path, made.stamp);
      return made;
    } catch (error) {
      for (const left of [temporary, sum]) await rm(left, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  #remember(path: string, stamp: string): void {
    this.#checked.delete(path);
    this.#checked.set(path, stamp);
    const [oldest] = this.#checked.keys();
    if (this.#checked.size > MAX_CHECKED && oldest !== undefined) this.#checked.delete(oldest);
  }
}

/** How the names of all that was made from an artifact's file begin. */
export function derivedPrefix(file: string, hash: string): string {
  return `${file}.${hash.slice(0, 12)}.`;
}

/** Forgets what was made from an artifact's file. */
export async function deleteDerived(folder: string, file: string, hash: string): Promise<void> {
  for (const name of await listDerived(folder)) {
    if (name.startsWith(derivedPrefix(file, hash)))
      await rm(join(folder, CACHE_FOLDER, name), { force: true, recursive: true });
  }
}

/** The names of all that is in the folder for derived data, if it is a folder. */
export async function listDerived(folder: string): Promise<readonly string[]> {
  const cache = join(folder, CACHE_FOLDER);
  try {
    return (await lstat(cache)).isDirectory() ? await readdir(cache) : [];
  } catch {
    return [];
  }
}

function sumOf(path: string): string {
  return `${path}.sha256`;
}

async function readSum(path: string): Promise<string> {
  const content = await openContent(sumOf(path));
  try {
    return Buffer.from(await content.read(0, content.size)).toString("latin1");
  } finally {
    await content.close();
  }
}

/** Renames, also over a folder that somebody put there. */
async function replace(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async () => {
    await rm(to, { recursive: true, force: true });
    await rename(from, to);
  });
}

/** Makes the folder unless it is there; a link in its place would lead elsewhere. */
async function makeFolder(cache: string): Promise<void> {
  await mkdir(cache, { mode: FOLDER_MODE }).catch(async (error: unknown) => {
    if (!(await lstat(cache)).isDirectory()) throw error;
  });
}

async function* hashed(
  pieces: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

/** An error of the operating system, and not one of who makes the data. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
