import { FILE_MODE, temporaryName } from "./store-layout.js";
import { closeSoon, deleteFile, lookAt, openFile, renameFile, writeAll } from "./file-calls.js";
import { createHash, randomBytes } from "node:crypto";
import type { Disk } from "./disk.js";
import { hasCode } from "../error-code.js";
import { hashFile } from "./open-content.js";
import { join } from "node:path";

/** Content that is being written to a session's folder. */
export interface IncomingContent {
  readonly bytes: number;
  readonly hash: () => string;
  /**
   * Creates a file that is complete when this resolves. Nothing is written before `isFree`, which is
   * called when the file is being created, has resolved to true.
   *
   * @returns `false` if the name is taken.
   */
  create(path: string, isFree: () => Promise<boolean>): Promise<boolean>;
  /** Replaces whatever has the name. */
  replace(path: string): Promise<void>;
  discard(): Promise<unknown>;
}

/**
 * `hash`, `describe` and `meanwhile` run while the system creates and writes a file, so that they take
 * almost no extra time.
 */
export function incomingBytes(
  content: Uint8Array,
  disk: Disk,
  {
    hash,
    describe,
    meanwhile,
  }: { hash: () => string; describe: () => unknown; meanwhile: () => void },
): IncomingContent {
  const fill = async (fd: number) => {
    const writing = writeAll(fd, content).finally(() => {
      // Nobody waits for the closing: every byte is with the system.
      disk.close(fd);
    });
    // A failure is reported when it is awaited; until then it must not count as unhandled.
    writing.catch(() => undefined);
    try {
      describe();
      meanwhile();
    } finally {
      await writing;
    }
  };
  return {
    bytes: content.length,
    hash,
    async create(path, isFree) {
      const creating = createFile(path, isFree);
      const checking = isFree();
      checking.catch(() => undefined);
      hash();
      meanwhile();
      const fd = await creating;
      if (fd === undefined) return false;
      try {
        if (!(await isFree())) {
          // The file is left: whoever lists the artifact may be about to put its content there.
          disk.close(fd);
          return false;
        }
      } catch (error) {
        disk.close(fd);
        await deleteFile(path).catch(() => undefined);
        throw error;
      }
      try {
        await fill(fd);
        return true;
      } catch (error) {
        await deleteFile(path).catch(() => undefined);
        throw error;
      }
    },
    async replace(path) {
      await replaceBy(path, temporaryIn(path), async (temporary) => {
        await fill(await openFile(temporary, "wx", FILE_MODE));
      });
    },
    discard: () => Promise.resolve(),
  };
}

/** Creates a file, or resolves to `undefined` when the name is taken. */
export async function createFile(
  path: string,
  folderIsReady: () => Promise<unknown>,
): Promise<number | undefined> {
  try {
    return await openFile(path, "wx", FILE_MODE).catch(async (error: unknown) => {
      if (!hasCode(error, "ENOENT")) throw error;
      await folderIsReady();
      return openFile(path, "wx", FILE_MODE);
    });
  } catch (error) {
    if (hasCode(error, "EEXIST")) return undefined;
    throw error;
  }
}

/** Whether a file holds the content; false if it cannot be read. */
export async function holdsContent(
  path: string,
  { bytes, hash }: Pick<IncomingContent, "bytes" | "hash">,
): Promise<boolean> {
  try {
    return (await lookAt(path))?.size === bytes && (await hashFile(path)) === hash();
  } catch {
    return false;
  }
}

/** Fills a temporary file and renames it over the path. */
export async function replaceBy(
  path: string,
  temporary: string,
  fill: (temporary: string) => Promise<void>,
): Promise<void> {
  try {
    await fill(temporary);
    await renameFile(temporary, path);
  } catch (error) {
    await deleteFile(temporary).catch(() => undefined);
    throw error;
  }
}

/** A unique name in the folder of the path. */
export function temporaryIn(path: string): string {
  return join(path, "..", temporaryName(randomBytes(9).toString("hex")));
}

/** How much of a stream is written at a time. */
const BLOCK_BYTES = 262_144;

/**
 * Writes a stream to a temporary file: its hash, and so its possible names, are known only at its
 * end. `compute` runs then, before the file gets a name.
 */
export async function incomingStream(
  temporary: string,
  content: AsyncIterable<Uint8Array>,
  compute: () => void,
): Promise<IncomingContent> {
  const hashing = createHash("sha256");
  const fd = await openFile(temporary, "wx", FILE_MODE);
  let bytes = 0;
  try {
    for await (const block of inBlocks(content)) {
      hashing.update(block);
      bytes += block.length;
      // Written before the next one is requested, since the caller may reuse the memory of a chunk.
      await writeAll(fd, block);
    }
    compute();
  } catch (error) {
    await deleteFile(temporary).catch(() => undefined);
    throw error;
  } finally {
    closeSoon(fd);
  }
  const hash = hashing.digest("hex");
  return {
    bytes,
    hash: () => hash,
    async create(path, isFree) {
      if (!(await isFree())) return false;
      // Whoever created the empty file owns the name; no one else lists or replaces it.
      const claim = await createFile(path, isFree);
      if (claim === undefined) return false;
      closeSoon(claim);
      try {
        await renameFile(temporary, path);
        return true;
      } catch (error) {
        await deleteFile(path).catch(() => undefined);
        throw error;
      }
    },
    replace: (path) => renameFile(temporary, path),
    discard: () => deleteFile(temporary),
  };
}

/** The same bytes in fewer pieces, so that short chunks do not each cost a write. */
async function* inBlocks(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const block = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  for await (const chunk of content) {
    if (filled + chunk.length > BLOCK_BYTES) {
      yield block.subarray(0, filled);
      filled = 0;
    }
    if (chunk.length >= BLOCK_BYTES) yield chunk;
    else {
      block.set(chunk, filled);
      filled += chunk.length;
    }
  }
  yield block.subarray(0, filled);
}
