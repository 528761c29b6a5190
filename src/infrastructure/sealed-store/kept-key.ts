import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

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
    mkdirSync(resolve(root), { recursive: true });
    // Exclusively, since two processes may start at once.
    writeFileSync(path, made.toString("hex"), { flag: "wx", mode: 0o600 });
    return made;
  } catch {
    return readKey(path) ?? made;
  }
}

function readKey(path: string): Uint8Array | undefined {
  try {
    const key = Buffer.from(readFileSync(path, "utf8").trim(), "hex");
    return key.length === KEY_BYTES ? key : undefined;
  } catch {
    return undefined;
  }
}
