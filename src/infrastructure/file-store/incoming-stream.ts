import { createHash } from "node:crypto";
import { closeSoon, deleteFile, openFile, renameFile, writeAll } from "./file-calls.js";
import { createFile, type IncomingContent } from "./incoming-content.js";
import { FILE_MODE } from "./store-layout.js";

/** How much of a stream is written at a time. */
const BLOCK_BYTES = 262_144;

/** Writes a stream to a temporary file: its hash, and so its possible names, are known only at its end. */
export async function incomingStream(
  temporary: string,
  content: AsyncIterable<Uint8Array>,
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
      if (!(await isFree)) return false;
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
