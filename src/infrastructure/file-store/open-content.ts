import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { readPieces } from "../../core/reading/read-pieces.js";
import type { OpenContent } from "../../core/workspace/artifact-store.js";

/** A link in the place of a file is not followed: it may lead out of the workspace. Windows lacks the flag. */
const { O_RDONLY, O_NOFOLLOW } = constants as { O_RDONLY: number; O_NOFOLLOW?: number };
const READ_NO_LINK = O_RDONLY | (O_NOFOLLOW ?? 0);

export async function openContent(path: string): Promise<OpenContent> {
  const handle = await open(path, READ_NO_LINK);
  try {
    const { size } = await handle.stat();
    return {
      path,
      size,
      close: () => handle.close(),
      async read(start, end) {
        const bytes = Buffer.allocUnsafe(Math.max(Math.min(end, size) - start, 0));
        let filled = 0;
        while (filled < bytes.length) {
          const left = bytes.length - filled;
          const { bytesRead } = await handle.read(bytes, filled, left, start + filled);
          if (bytesRead === 0) break;
          filled += bytesRead;
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
