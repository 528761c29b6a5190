import { link, lstat, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import type { FolderWriteOutcome } from "../../core/files/file-sink.js";
import { hasCode } from "./disk.js";

/** The error codes on file systems without hard links (FAT, exFAT, network folders). */
const NO_LINKS = [
  ...["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"],
  ...["EACCES", "EINVAL", "EISDIR", "EXDEV", "UNKNOWN"],
];

/**
 * Gives a temporary file its final name, unless that name is taken. Making a hard link is atomic, even
 * between processes.
 *
 * @returns Whether the name was free.
 */
export async function claimName(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    if (hasCode(error, ...NO_LINKS)) return claimByPlaceholder(temporary, path);
    throw error;
  }
}

/**
 * Without links, a placeholder reserves the name until the content is renamed over it. If the process
 * ends in between, the placeholder remains and the name is not used again, but nothing is lost. The
 * placeholder contains the temporary name, so that it is never mistaken for stored content, not even
 * for empty content.
 */
async function claimByPlaceholder(temporary: string, path: string): Promise<boolean> {
  try {
    await writeFile(path, basename(temporary), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
  try {
    await rename(temporary, path);
    return true;
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  }
}

export interface TemporaryFile {
  /** Writes the content to a temporary file in the same folder and returns its path. */
  write(): Promise<string>;
  discard(temporary: string): Promise<void>;
}

/** Writes content under its final name if the name is free; otherwise says whether that file has the same content. */
export async function publishNew(
  path: string,
  content: string | Uint8Array,
  temporaryFile: TemporaryFile,
): Promise<FolderWriteOutcome> {
  const before = await compareExisting(path, content);
  if (before) return before;
  const temporary = await temporaryFile.write();
  try {
    if (await claimName(temporary, path)) return "written";
    return (await compareExisting(path, content)) ?? "taken";
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
