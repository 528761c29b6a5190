import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { FILE_MODE, FOLDER_MODE } from "../file-store/store-layout.js";

const FILE = "redaction.key";
const KEY_BYTES = 32;

/**
 * The secret of a workspace on files, made when it is first needed and readable by its owner only. A
 * folder that cannot be written gets a random one: then content is known again within this process.
 */
export function keptKey(root: string): Uint8Array {
  const path = join(resolve(root), FILE);
  const made = randomBytes(KEY_BYTES);
  try {
    makeRoot(resolve(root));
    // Exclusively, since two processes may start at once.
    writeFileSync(path, made.toString("hex"), { flag: "wx", mode: FILE_MODE });
    return made;
  } catch {
    return readKey(path) ?? made;
  }
}

/** A new root is hidden from git and from searches, as the store would have made it. */
function makeRoot(root: string): void {
  if (mkdirSync(root, { recursive: true, mode: FOLDER_MODE }) === undefined) return;
  writeFileSync(join(root, ".gitignore"), "*\n", { flag: "wx", mode: FILE_MODE });
}

function readKey(path: string): Uint8Array | undefined {
  try {
    const key = Buffer.from(readFileSync(path, "utf8").trim(), "hex");
    return key.length === KEY_BYTES ? key : undefined;
  } catch {
    return undefined;
  }
}
