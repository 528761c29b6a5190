import { createHash, randomBytes } from "node:crypto";
import { lstat, open, rename, unlink, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { claimName } from "../claim-name.js";
import { closeSoon } from "./close-soon.js";
import { hashFile } from "./open-content.js";
import { FILE_MODE, temporaryName } from "./store-layout.js";

/** How much of a stream is written at a time. */
const BLOCK_BYTES = 262_144;

/** A content that is on disk under a temporary name. */
export interface WrittenContent {
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

/**
 * Writes a content under a temporary name in the folder and hashes it. `meanwhile` runs while the
 * system writes, so that what the caller computes costs next to no time of its own.
 */
export async function writeContent(
  folder: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  meanwhile: () => void,
): Promise<WrittenContent> {
  const path = join(folder, temporaryName(randomBytes(9).toString("hex")));
  try {
    if (Symbol.asyncIterator in content) return await writeStream(path, content);
    const hash = await writeBytes(path, content, meanwhile);
    return { path, hash, bytes: content.length };
  } catch (error) {
    await discardContent(path);
    throw error;
  }
}

/** Hands all bytes to the system at once, and computes while it writes them. */
async function writeBytes(
  path: string,
  content: Uint8Array,
  meanwhile: () => void,
): Promise<string> {
  const handle = await open(path, "wx", FILE_MODE);
  const writing = writeAll(handle, content);
  try {
    // A failure is reported when it is awaited; until then it must not count as unhandled.
    writing.catch(() => undefined);
    const hash = createHash("sha256").update(content).digest("hex");
    meanwhile();
    await writing;
    return hash;
  } finally {
    // The file must not be closed, nor deleted, under a write that is under way. Whoever comes next
    // need not wait for the closing: every byte is with the system.
    await writing.catch(() => undefined);
    closeSoon(handle);
  }
}

async function writeAll(handle: FileHandle, content: Uint8Array): Promise<void> {
  let written = 0;
  while (written < content.length) {
    written += (await handle.write(content, written, content.length - written)).bytesWritten;
  }
}

async function writeStream(
  path: string,
  content: AsyncIterable<Uint8Array>,
): Promise<WrittenContent> {
  const hash = createHash("sha256");
  let bytes = 0;
  async function* tap(): AsyncGenerator<Uint8Array> {
    for await (const block of inBlocks(content)) {
      hash.update(block);
      bytes += block.length;
      yield block;
    }
  }
  // Each block is written before the next is asked for: the memory of a chunk is the caller's, who
  // may use it again.
  await writeFile(path, tap(), { flag: "wx", mode: FILE_MODE });
  return { path, hash: hash.digest("hex"), bytes };
}

/** The same bytes in fewer pieces, so that short chunks do not cost a write each. */
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

export async function discardContent(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

/** Whether a file holds what was written; what cannot be read does not. */
export async function holdsContent(
  path: string,
  { hash, bytes }: WrittenContent,
): Promise<boolean> {
  try {
    const { size } = await lstat(path);
    return size === bytes && (await hashFile(path)) === hash;
  } catch {
    return false;
  }
}

/** Gives a listed artifact its file back if that was lost or spoilt. */
export async function restoreContent(written: WrittenContent, path: string): Promise<boolean> {
  if (await claimName(written.path, path)) return true;
  if (await holdsContent(path, written)) return true;
  return rename(written.path, path).then(
    () => true,
    () => false,
  );
}
