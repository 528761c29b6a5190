import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { makeWorkspaceFolder, PRIVATE } from "../make-folder.js";

const LOG_FILE = "hook.log";
const MAX_LOG_BYTES = 1_000_000;

/** Says why a result was let through, in a file of the workspace. */
export function writeHookLog(root: string, error: unknown): void {
  makeWorkspaceFolder(root);
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  const file = openLog(root, O_APPEND | O_CREAT | O_WRONLY);
  if (file === undefined) return;
  try {
    if (fstatSync(file).size > MAX_LOG_BYTES) return;
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    writeSync(file, `${new Date().toISOString()} the result was let through: ${why}\n`);
  } finally {
    closeSync(file);
  }
}

/** What the hook has logged; "" if it has nothing. */
export function readHookLog(root: string): string {
  try {
    const file = openLog(root, constants.O_RDONLY);
    if (file === undefined) return "";
    try {
      return readFileSync(file, "utf8");
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

/** Opens a plain file only: a repository may bring a link of this name, to a file outside of it. */
function openLog(root: string, flags: number): number | undefined {
  const path = join(root, LOG_FILE);
  const found = lstatSync(path, { throwIfNoEntry: false });
  // Where O_NOFOLLOW is missing and counts as 0, as on Windows, what was just seen has to do.
  if (found && (!found.isFile() || found.nlink > 1)) return undefined;
  return openSync(path, flags | constants.O_NOFOLLOW, PRIVATE.file);
}
