import { closeSync, constants, fstatSync, writeSync } from "node:fs";
import { makeWorkspaceFolder } from "../make-folder.js";
import { openOwnFile, readOwnFile } from "./own-file.js";

const LOG_FILE = "hook.log";
const MAX_LOG_BYTES = 1_000_000;

/** Says why a result was let through, in a file of the workspace. */
export function writeHookLog(root: string, error: unknown): void {
  makeWorkspaceFolder(root);
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  const file = openOwnFile(root, LOG_FILE, O_APPEND | O_CREAT | O_WRONLY);
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
  return readOwnFile(root, LOG_FILE);
}
