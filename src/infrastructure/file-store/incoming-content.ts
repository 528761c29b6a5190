import { FILE_MODE, temporaryName } from "./store-layout.js";
import {
  closeSoon,
  deleteFile,
  lookAt,
  openFile,
  renameFile,
  statOpen,
  writeAll,
  type Disk,
} from "./file-calls.js";
import { createHash, randomBytes } from "node:crypto";
import { hasCode } from "../claim-name.js";
import { hashFile } from "./open-content.js";
import { identityOf } from "./kept-file.js";
import { join } from "node:path";

/** Content that is being written to a session's folder. */
export interface IncomingContent {
  readonly bytes: number;
  readonly hash: () => string;
  /**
   * Creates a file that is complete when this resolves.
   *
   * @param makeFolder - Called if the folder was deleted meanwhile.
   * @returns The identity of the file; `undefined` if the name is taken.
   */
  create(path: string, makeFolder: () => Promise<unknown>): Promise<string | undefined>;
  /**
   * Replaces whatever has the name, if that is still wanted when the new file is complete.
   *
   * @returns The identity of the file.
   */
  replace(path: string, isWanted: () => Promise<boolean>): Promise<string | undefined>;
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
  // Closed at the end: an identity is that of another file once the file is deleted and closed.
  const opened: number[] = [];
  const fill = async (fd: number): Promise<void> => {
    const writing = writeAll(fd, content);
    // A failure is reported when it is awaited; until then it must not count as unhandled.
    writing.catch(() => undefined);
    try {
      describe();
      meanwhile();
    } finally {
      await writing;
    }
  };
  const identify = async (fd: number): Promise<string> => {
    opened.push(fd);
    return identityOf(await disk.statOpen(fd));
  };
  return {
    bytes: content.length,
    hash,
    async create(path, makeFolder) {
      const creating = createFile(path, makeFolder);
      creating.catch(() => undefined);
      hash();
      meanwhile();
      const fd = await creating;
      if (fd === undefined) return undefined;
      const file = await identify(fd);
      try {
        await fill(fd);
        return file;
      } catch (error) {
        await deleteOwn(path, file);
        throw error;
      }
    },
    async replace(path, isWanted) {
      let file = "";
      const isDone = await replaceBy(path, async (temporary) => {
        const fd = await openFile(temporary, "wx", FILE_MODE);
        file = await identify(fd);
        await fill(fd);
        return isWanted();
      });
      return isDone ? file : undefined;
    },
    discard() {
      // Nobody waits for the closing: every byte is with the system.
      for (const fd of opened) disk.close(fd);
      return Promise.resolve();
    },
  };
}

/** Creates a file, or resolves to `undefined` when the name is taken. */
async function createFile(
  path: string,
  makeFolder: () => Promise<unknown>,
): Promise<number | undefined> {
  try {
    return await openFile(path, "wx", FILE_MODE).catch(async (error: unknown) => {
      if (!hasCode(error, "ENOENT")) throw error;
      await makeFolder();
      return openFile(path, "wx", FILE_MODE);
    });
  } catch (error) {
    if (hasCode(error, "EEXIST")) return undefined;
    throw error;
  }
}

/** Deletes a file that this process has created, unless another one has its name by now. */
export async function deleteOwn(path: string, file: string): Promise<void> {
  try {
    const stats = await lookAt(path);
    if (stats && identityOf(stats) === file) await deleteFile(path);
  } catch {
    // What is left is an orphan.
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

/** Fills a temporary file and renames it over the path, unless `fill` says that it is not wanted. */
export async function replaceBy(
  path: string,
  fill: (temporary: string) => Promise<boolean>,
): Promise<boolean> {
  const temporary = temporaryIn(path);
  try {
    const isWanted = await fill(temporary);
    if (isWanted) await renameFile(temporary, path);
    return isWanted;
  } finally {
    await deleteFile(temporary).catch(() => undefined);
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
  // Closed at the end, as above.
  const discard = async () => {
    closeSoon(fd);
    await deleteFile(temporary);
  };
  let bytes = 0;
  let file: string;
  try {
    for await (const block of inBlocks(content)) {
      hashing.update(block);
      bytes += block.length;
      // Written before the next one is requested, since the caller may reuse the memory of a chunk.
      await writeAll(fd, block);
    }
    compute();
    file = identityOf(await statOpen(fd));
  } catch (error) {
    await discard().catch(() => undefined);
    throw error;
  }
  const hash = hashing.digest("hex");
  return {
    bytes,
    hash: () => hash,
    async create(path, makeFolder) {
      // Whoever created the empty file owns the name; no one else lists or replaces it.
      const claim = await createFile(path, makeFolder);
      if (claim === undefined) return undefined;
      try {
        const claimed = identityOf(await statOpen(claim));
        await renameFile(temporary, path).catch(async (error: unknown) => {
          await deleteOwn(path, claimed);
          throw error;
        });
        return file;
      } finally {
        closeSoon(claim);
      }
    },
    async replace(path, isWanted) {
      if (!(await isWanted())) return undefined;
      await renameFile(temporary, path);
      return file;
    },
    discard,
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
