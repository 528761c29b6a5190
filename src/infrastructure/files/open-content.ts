import { createHash, randomBytes } from "node:crypto";
import { open, lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ReadFailedError } from "../../core/errors/storage-errors.js";
import { readPieces, collectPieces } from "../../core/lib/text/byte-source.js";
import { type OpenContent, memoryContent } from "../../core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord } from "../../core/workspace/artifacts/artifact.js";
import { once } from "../../core/lib/concurrency.js";
import { CauseError } from "../cause-error.js";
import { checkedBytes, checkedContent } from "../checked-content.js";
import type { Disk } from "./disk.js";
import { CACHE_FOLDER, FILE_MODE, FOLDER_MODE, temporaryName } from "./store-layout.js";

export interface OpenFile extends OpenContent {
  readonly fd: number;
  readonly modifiedMs: number;
  /** When the file or anything that is known of it last changed. */
  readonly changedMs: number;
  /** Differs from any earlier one if the file was changed or replaced in between. */
  readonly state: string;
}

export async function openContent(path: string, disk: Disk): Promise<OpenFile> {
  const fd = await disk.openToRead(path);
  try {
    const stats = await disk.statOpen(fd);
    if (!stats.isFile()) throw new CauseError(`${path} is not a plain file`);
    const { size, mtimeMs: modifiedMs, ctimeMs, dev, ino } = stats;
    return {
      fd,
      size,
      modifiedMs,
      changedMs: Math.max(modifiedMs, ctimeMs),
      state: [dev, ino, size, modifiedMs, ctimeMs].join(),
      close: onceCalled(() => {
        disk.close(fd);
      }),
      async read(start, end) {
        const bytes = Buffer.allocUnsafe(Math.max(Math.min(end, size) - start, 0));
        try {
          return bytes.subarray(0, await disk.read(fd, bytes, start));
        } catch (cause) {
          throw new ReadFailedError(path, cause);
        }
      },
    };
  } catch (error) {
    disk.close(fd);
    throw error;
  }
}

/** Closing twice must not close the descriptor of another file. */
function onceCalled(close: () => void): () => Promise<void> {
  const closed = once(close);
  return () => {
    closed();
    return Promise.resolve();
  };
}

/** SHA-256 of a file, read piece by piece. */
export async function hashFile(path: string, disk: Disk, signal?: AbortSignal): Promise<string> {
  const content = await openContent(path, disk);
  try {
    const hash = createHash("sha256");
    for await (const piece of readPieces(content, signal)) hash.update(piece);
    return hash.digest("hex");
  } finally {
    await content.close();
  }
}

/** Content up to this size is read and compared with its hash when it is opened, which takes about a millisecond. */
const MAX_CHECKED_BYTES = 1_048_576;
/** What changed less than this ago may change again with the same time; FAT counts in two seconds. */
export const SETTLED_MS = 3_000;

/** Compares content with what its record says, and remembers what it found until the file changes. */
export class ContentCheck {
  /** The state in which a file was found to be intact. */
  readonly #intact = new WeakMap<ArtifactRecord, string>();

  /** Small content is checked now, and then read from memory; anything larger is checked by `check`. */
  async guard(record: ArtifactRecord, file: OpenFile): Promise<OpenContent> {
    const isIntact = this.#intact.get(record) === file.state;
    const onIntact = () => {
      if (Date.now() - file.changedMs > SETTLED_MS) this.#intact.set(record, file.state);
    };
    try {
      const isSmall = file.size <= MAX_CHECKED_BYTES && file.size === record.size.bytes;
      if (!isSmall || isIntact) return checkedContent(record, file, { isIntact, onIntact });
      const { buffer, byteOffset, length } = await file.read(0, file.size);
      // Not a Buffer, whose `slice` would be no copy.
      const content = checkedBytes(record, new Uint8Array(buffer, byteOffset, length));
      await content.check?.();
      onIntact();
      await file.close();
      return content;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}

/**
 * Opens data that is derived from an artifact, and makes it if it does not exist. It is cached in a
 * folder that may be deleted at any time, at the cost of making it again.
 */
export async function openDerived(
  folder: string,
  file: string,
  hash: string,
  name: string,
  make: () => AsyncIterable<Uint8Array>,
  disk: Disk,
): Promise<OpenContent> {
  const cache = join(folder, CACHE_FOLDER);
  // The hash is in the name, so that stale data is not found when an id holds other content.
  const path = join(cache, `${derivedPrefix(file, hash)}${name}`);
  try {
    await makeFolder(cache);
    const existing = await openSealed(path, hash, disk);
    if (existing) return existing;
    await makeDerived(cache, path, hash, make);
    return await openContent(path, disk);
  } catch (error) {
    // Reading must work even if nothing can be written.
    if (!isSystemError(error)) throw error;
    return memoryContent(await collectPieces(make()));
  }
}

/** @returns `undefined` if it does not exist or was changed. */
async function openSealed(
  path: string,
  hash: string,
  disk: Disk,
): Promise<OpenContent | undefined> {
  // Whatever is wrong with it, it is made again.
  const cached = await openContent(path, disk).catch(() => undefined);
  if (!cached || cached.modifiedMs === sealOf(hash, cached.size)) return cached;
  await cached.close();
  return undefined;
}

/**
 * The modification time that is set on such a file, an even second long ago: any later change to the
 * file gives it another time, and so is detected.
 */
function sealOf(hash: string, size: number): number {
  return 1_000_000_000_000 + ((parseInt(hash.slice(0, 6), 16) + size) % 200_000_000) * 2_000;
}

async function makeDerived(
  cache: string,
  path: string,
  hash: string,
  make: () => AsyncIterable<Uint8Array>,
): Promise<void> {
  const temporary = join(cache, temporaryName(randomBytes(9).toString("hex")));
  try {
    const handle = await open(temporary, "wx", FILE_MODE);
    try {
      await writeFile(handle, make());
      const seal = sealOf(hash, (await handle.stat()).size) / 1_000;
      await handle.utimes(seal, seal);
    } finally {
      await handle.close();
    }
    await replace(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** The prefix of all names of data derived from an artifact's file. */
export function derivedPrefix(file: string, hash: string): string {
  return `${file}.${hash.slice(0, 12)}.`;
}

/** Deletes the data derived from artifacts, of which these are the prefixes. */
export async function deleteDerived(folder: string, prefixes: ReadonlySet<string>): Promise<void> {
  for (const name of await listDerived(folder)) {
    const prefix = derivedPrefixOf(name);
    if (prefix !== undefined && prefixes.has(prefix))
      await rm(join(folder, CACHE_FOLDER, name), { force: true, recursive: true });
  }
}

/** The prefix that a name of derived data has. */
export function derivedPrefixOf(name: string): string | undefined {
  return /^(.*\.[0-9a-f]{12}\.)[a-z-]+$/.exec(name)?.[1];
}

/** The names of everything in the folder for derived data, if it is a folder. */
export async function listDerived(folder: string): Promise<readonly string[]> {
  const cache = join(folder, CACHE_FOLDER);
  try {
    return (await lstat(cache)).isDirectory() ? await readdir(cache) : [];
  } catch {
    return [];
  }
}

/** Renames, even over a folder. */
async function replace(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async () => {
    await rm(to, { recursive: true, force: true });
    await rename(from, to);
  });
}

/** Makes the folder unless it exists; rejects a link in its place. */
async function makeFolder(cache: string): Promise<void> {
  await mkdir(cache, { mode: FOLDER_MODE }).catch(async (error: unknown) => {
    if (!(await lstat(cache)).isDirectory()) throw error;
  });
}

/** An error of the operating system, rather than of the code that makes the data. */
function isSystemError(error: unknown): boolean {
  return typeof error === "object" && error !== null && "syscall" in error;
}
