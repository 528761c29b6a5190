import { createHash, randomBytes } from "node:crypto";
import { unlink, writeFile } from "node:fs/promises";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { FILE_MODE, temporaryName } from "./store-layout.js";

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
    if (!(content instanceof Uint8Array)) return await writeStream(path, content);
    const writing = writeFile(path, content, { flag: "wx", mode: FILE_MODE });
    // A failure is reported when it is awaited; until then it must not count as unhandled.
    writing.catch(() => undefined);
    const hash = createHash("sha256").update(content).digest("hex");
    meanwhile();
    await writing;
    return { path, hash, bytes: content.length };
  } catch (error) {
    await discardContent(path);
    throw error;
  }
}

async function writeStream(
  path: string,
  content: AsyncIterable<Uint8Array>,
): Promise<WrittenContent> {
  const hash = createHash("sha256");
  let bytes = 0;
  async function* tap(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  await pipeline(
    Readable.from(tap(), { objectMode: false, highWaterMark: 1 << 20 }),
    createWriteStream(path, { flags: "wx", mode: FILE_MODE }),
  );
  return { path, hash: hash.digest("hex"), bytes };
}

export async function discardContent(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}
