import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { ReadFailedError } from "../../core/errors/storage-errors.js";
import { readPieces } from "../../core/lib/text/byte-source.js";
import type { OpenContent } from "../../core/workspace/artifacts/artifact-store.js";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants as {
  O_RDONLY: number;
  O_NOFOLLOW?: number;
  O_NONBLOCK?: number;
};

/**
 * A link in place of a file is not followed, since it may lead out of the workspace, and a pipe does
 * not block. Windows lacks both flags.
 */
export const READ_NO_LINK = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

export interface OpenFile extends OpenContent {
  readonly fd: number;
  readonly modifiedMs: number;
  /** When the file or anything that is known of it last changed. */
  readonly changedMs: number;
  /** Differs from any earlier one if the file was changed or replaced in between. */
  readonly state: string;
}

export async function openContent(path: string): Promise<OpenFile> {
  const handle = await open(path, READ_NO_LINK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error(`${path} is not a plain file`);
    const { size, mtimeMs: modifiedMs, ctimeMs, dev, ino } = stats;
    return {
      fd: handle.fd,
      size,
      modifiedMs,
      changedMs: Math.max(modifiedMs, ctimeMs),
      state: [dev, ino, size, modifiedMs, ctimeMs].join(),
      close: () => handle.close(),
      async read(start, end) {
        const bytes = Buffer.allocUnsafe(Math.max(Math.min(end, size) - start, 0));
        let filled = 0;
        try {
          while (filled < bytes.length) {
            const left = bytes.length - filled;
            const { bytesRead } = await handle.read(bytes, filled, left, start + filled);
            if (bytesRead === 0) break;
            filled += bytesRead;
          }
        } catch (cause) {
          throw new ReadFailedError(path, cause);
        }
        return bytes.subarray(0, filled);
      },
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** SHA-256 of a file, read piece by piece. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const content = await openContent(path);
  try {
    const hash = createHash("sha256");
    for await (const piece of readPieces(content, signal)) hash.update(piece);
    return hash.digest("hex");
  } finally {
    await content.close();
  }
}
