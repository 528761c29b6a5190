import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runOrThrow } from "../scripts/run-command.mjs";

/** Where the packages to compare with are installed. */
export const PEERS = fileURLToPath(new URL("peers/", import.meta.url));

/** Installs all of them on first use. */
export async function installPeers() {
  const installed = await stat(`${PEERS}node_modules`).catch(() => undefined);
  if (!installed) await runOrThrow("npm", ["ci", "--no-audit", "--no-fund"], { cwd: PEERS });
}

/** @param {string} name */
export async function importPeer(name) {
  await installPeers();
  return import(pathToFileURL(createRequire(`${PEERS}package.json`).resolve(name)).href);
}

/** The path of ripgrep. */
export async function ripgrepPath() {
  const { rgPath } = await importPeer("@vscode/ripgrep");
  return rgPath;
}
