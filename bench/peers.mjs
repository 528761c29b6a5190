import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runOrThrow } from "../scripts/run-command.mjs";

const folder = fileURLToPath(new URL("peers/", import.meta.url));

/** The path of ripgrep. */
export async function ripgrepPath() {
  const { rgPath } = await importPeer("@vscode/ripgrep");
  return rgPath;
}

/**
 * A package to compare with; all of them are installed on first use.
 *
 * @param {string} name
 */
export async function importPeer(name) {
  const installed = await stat(`${folder}node_modules`).catch(() => undefined);
  if (!installed) await runOrThrow("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder });
  return import(pathToFileURL(createRequire(`${folder}package.json`).resolve(name)).href);
}
