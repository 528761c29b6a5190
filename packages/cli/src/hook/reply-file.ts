import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, PRIVATE } from "../make-folder.js";

/**
 * Writes a reference to a file, for an agent that can only be told which file to read; returns its path. Not in a
 * folder that git ignores, since the agent's tools do not read there.
 */
export function writeReply(root: string, text: string): string {
  const folder = join(root, "replies");
  makeFolder(folder, PRIVATE.folder);
  const path = join(folder, `${createHash("sha256").update(text).digest("hex").slice(0, 16)}.txt`);
  writeFileSync(path, text, { mode: PRIVATE.file });
  return path;
}
