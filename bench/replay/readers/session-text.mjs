import { readFile } from "node:fs/promises";
import * as zlib from "node:zlib";
import { UnreadableHereError } from "./unreadable-here-error.mjs";

/**
 * The text of a recorded session; Codex compresses those that have not been used for a week.
 *
 * @param {string} path
 */
export async function readSessionText(path) {
  if (!path.endsWith(".zst")) return readFile(path, "utf8");
  // Older versions of Node, and of its types, do not have it.
  const { zstdDecompressSync } =
    /** @type {{ zstdDecompressSync?: (bytes: Uint8Array) => Buffer }} */ (zlib);
  if (!zstdDecompressSync) {
    throw new UnreadableHereError(
      "Codex compresses older sessions; to read them, use Node 22.15 or later",
    );
  }
  return zstdDecompressSync(await readFile(path)).toString("utf8");
}
