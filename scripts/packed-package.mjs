import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyPublishedForm } from "./published-form.mjs";
import { runOrThrow } from "./run-command.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Where the packages are in the repository, each after those that it depends on. */
export const PACKAGES = ["", "packages/mcp", "packages/replay", "packages/cli"];

/**
 * Packs what is built. It works on a copy, so that it can run while other programs read the repository.
 *
 * @param {string} destination An existing folder.
 * @param {string} directory Where the package is in the repository.
 * @returns {Promise<{ tarball: string, bytes: number, files: string[] }>}
 */
export async function packPackage(destination, directory = "") {
  const folder = join(ROOT, directory);
  const copy = await mkdtemp(join(tmpdir(), "context-offload-packing-"));
  try {
    const { files } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    for (const name of ["package.json", "README.md", "LICENSE", ...files]) {
      await cp(join(folder, name), join(copy, name), { recursive: true });
    }
    await applyPublishedForm(copy, ROOT, directory);
    // What the scripts do was just done here: the build and the published form.
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", destination];
    const [packed] = JSON.parse(await runOrThrow("npm", args, { cwd: copy }));
    return {
      tarball: join(destination, packed.filename),
      bytes: packed.size,
      files: packed.files.map((/** @type {{ path: string }} */ { path }) => path),
    };
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
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
