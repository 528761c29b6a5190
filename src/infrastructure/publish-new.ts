import { link, lstat, readFile, rename } from "node:fs/promises";
import type { FolderWriteOutcome } from "../core/files/file-writer.js";
import { hasCode } from "./error-code.js";

/** Some file systems have no hard links. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

export interface TemporaryFile {
  /** Writes the content to a temporary file beside the path and returns its path. */
  write(): Promise<string>;
  discard(temporary: string): Promise<void>;
}

/**
 * Gives a content its final name if nobody has it, also against other processes: a hard link is made
 * whole or fails. Who comes second learns whether the file holds the same content.
 */
export async function publishNew(
  path: string,
  content: string | Uint8Array,
  temporaryFile: TemporaryFile,
): Promise<FolderWriteOutcome> {
  const before = await compareExisting(path, content);
  if (before) return before;
  const temporary = await temporaryFile.write();
  try {
    await link(temporary, path);
    return "written";
  } catch (error) {
    if (hasCode(error, "EEXIST")) return (await compareExisting(path, content)) ?? "taken";
    if (!hasCode(error, ...NO_LINKS)) throw error;
    // Without links two processes can meet between the look and the rename; one process cannot.
    const meanwhile = await compareExisting(path, content);
    if (!meanwhile) await rename(temporary, path);
    return meanwhile ?? "written";
  } finally {
    await temporaryFile.discard(temporary);
  }
}

async function compareExisting(
  path: string,
  content: string | Uint8Array,
): Promise<"same" | "taken" | undefined> {
  try {
    const stats = await lstat(path);
    const bytes = typeof content === "string" ? Buffer.byteLength(content) : content.length;
    if (!stats.isFile() || stats.size !== bytes) return "taken";
    const there = await readFile(path);
    return there.equals(typeof content === "string" ? Buffer.from(content) : content)
      ? "same"
      : "taken";
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
