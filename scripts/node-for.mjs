// Which Node the tests of a folder of integrations/ run on.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @param {string} folder
 * @param {string} running The version of the Node that runs this.
 * @returns {{ node: string } | { missing: string }} The program: this one, one that the folder
 *   installed, or what the folder asks for in vain.
 */
export function nodeFor(folder, running = process.versions.node) {
  /** @type {{ engines?: { node?: string } }} */
  const { engines } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const asked = engines?.node ?? "";
  if (major(running) >= major(asked)) return { node: process.execPath };
  const name = process.platform === "win32" ? "node.exe" : "node";
  const own = join(folder, "node_modules/node/bin", name);
  return existsSync(own) ? { node: own } : { missing: asked };
}

/** @param {string} version */
function major(version) {
  return Number(/\d+/.exec(version)?.[0] ?? 0);
}
