import { lstat, readFile } from "node:fs/promises";
import type { FolderWriteOutcome } from "../core/files/file-writer.js";
import { claimName } from "./claim-name.js";
import { hasCode } from "./error-code.js";

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
