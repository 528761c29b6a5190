import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runOrThrow } from "./run-command.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Where the packages are in the repository, each after those that it depends on. */
export const PACKAGES = ["", "packages/mcp", "packages/replay", "packages/cli"];

/**
 * Packs what is built.
 *
 * @param {string} destination An existing folder.
 * @param {string} directory Where the package is in the repository.
 * @returns {Promise<{ tarball: string, bytes: number, files: string[] }>}
 */
export async function packPackage(destination, directory = "") {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", destination];
  const [packed] = JSON.parse(await runOrThrow("npm", args, { cwd: join(ROOT, directory) }));
  return {
    tarball: join(destination, packed.filename),
    bytes: packed.size,
    files: packed.files.map((/** @type {{ path: string }} */ { path }) => path),
  };
}

/**
 * Packs what is built and installs it in an empty folder, as a user would.
 *
 * @returns {Promise<{ folder: string, bytes: number, files: string[], remove: () => Promise<void> }>}
 */
export async function installPackedPackage() {
  const folder = await mkdtemp(join(tmpdir(), "context-offload-packed-"));
  const { tarball, bytes, files } = await packPackage(folder);
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  await runOrThrow("npm", ["install", "--no-audit", "--no-fund", "--offline", tarball], {
    cwd: folder,
  });
  return { folder, bytes, files, remove: () => rm(folder, { recursive: true, force: true }) };
}
