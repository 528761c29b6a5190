/**
 * The two files that differ between the repository and a published package: package.json and README.md.
 * `prepack` writes their published form, `postpack` restores them. After an interrupted packing, the next build or
 * packing restores them: the originals are saved before anything is changed.
 */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rewriteLinks } from "./doc-snippets.mjs";
import { findMissing, readRepository } from "./repository-address.mjs";

/**
 * @typedef {Record<string, { original: string, published: string }>} SavedFiles
 * @typedef {{ address: string, directory: string }} Place
 */

const SAVED = ".packing.json";

/**
 * @param {string} folder The package.
 * @param {string} root The repository, which says where it lives.
 * @param {string} directory Where the package is in the repository, with slashes; empty for the root.
 */
export async function applyPublishedForm(folder, root, directory) {
  await restoreAfterPacking(folder);
  const repository = await readRepository(root);
  // An invalid address would break the links; without one they are kept relative.
  const address = findMissing(repository).length === 0 ? repository.address : "";
  const place = { address, directory };
  const read = (/** @type {string} */ name) => readFile(join(folder, name), "utf8");
  const [manifest, readme] = await Promise.all([read("package.json"), read("README.md")]);
  /** @type {SavedFiles} */
  const files = {
    "package.json": { original: manifest, published: publishManifest(manifest, place) },
    "README.md": { original: readme, published: publishReadme(readme, place) },
  };
  await replaceFile(join(folder, SAVED), JSON.stringify(files));
  for (const [name, { published }] of Object.entries(files)) {
    await replaceFile(join(folder, name), published);
  }
}

/**
 * Does nothing if no packing was interrupted.
 *
 * @param {string} folder
 */
export async function restoreAfterPacking(folder) {
  const saved = await readFile(join(folder, SAVED), "utf8").catch(() => undefined);
  if (saved === undefined) return;
  /** @type {SavedFiles} */
  const files = JSON.parse(saved);
  for (const [name, { original, published }] of Object.entries(files)) {
    const current = await readFile(join(folder, name), "utf8");
    if (current === published) await replaceFile(join(folder, name), original);
    else if (current !== original) {
      throw new Error(
        `${name} was edited while it had its published form. Its original is in ${SAVED}: merge the two by ` +
          `hand, then delete ${SAVED}.`,
      );
    }
  }
  await rm(join(folder, SAVED));
}

/** @param {string} text @param {Place} place */
function publishManifest(text, { address, directory }) {
  const manifest = JSON.parse(text);
  delete manifest.workspaces;
  const isRoot = directory === "";
  const links =
    address === ""
      ? {}
      : {
          repository: {
            type: "git",
            url: `git+${address}.git`,
            ...(isRoot ? {} : { directory }),
          },
          homepage: `${address}${isRoot ? "" : `/tree/HEAD/${directory}`}#readme`,
          bugs: `${address}/issues`,
        };
  return `${JSON.stringify({ ...manifest, ...links }, null, 2)}\n`;
}

/**
 * A package page has only the README, so its links must be absolute.
 *
 * @param {string} text
 * @param {Place} place
 */
function publishReadme(text, { address, directory }) {
  if (address === "") return text;
  return rewriteLinks(text, (target) => {
    if (/^(?:[a-z][a-z+.-]*:|#)/i.test(target)) return target;
    const view = /\.(?:svg|png|gif|jpe?g|webp)$/i.test(target) ? "raw" : "blob";
    return `${address}/${view}/HEAD/${posix.join(directory, target)}`;
  });
}

/**
 * @param {string} path
 * @param {string} text
 */
async function replaceFile(path, text) {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  // npm runs the scripts of a package in its folder.
  const folder = process.cwd();
  const directory = relative(root, folder).replaceAll("\\", "/");
  await (process.argv[2] === "apply"
    ? applyPublishedForm(folder, root, directory)
    : restoreAfterPacking(folder));
}
