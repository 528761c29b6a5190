/**
 * The two files that differ between the repository and the published package: package.json and README.md.
 * `prepack` writes their published form, `postpack` restores them. After an interrupted packing, the next build or
 * packing restores them: the originals are saved before anything is changed.
 */
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rewriteLinks } from "./doc-snippets.mjs";
import { findMissing, readRepository } from "./repository-address.mjs";

/** @typedef {Record<string, { original: string, published: string }>} SavedFiles */

const SAVED = ".packing.json";

/** @param {string} root */
export async function applyPublishedForm(root) {
  await restoreAfterPacking(root);
  const repository = await readRepository(root);
  // An invalid address would break the links; without one they are kept relative.
  const address = findMissing(repository).length === 0 ? repository.address : "";
  const read = (/** @type {string} */ name) => readFile(join(root, name), "utf8");
  const [manifest, readme] = await Promise.all([read("package.json"), read("README.md")]);
  /** @type {SavedFiles} */
  const files = {
    "package.json": { original: manifest, published: publishManifest(manifest, address) },
    "README.md": { original: readme, published: publishReadme(readme, address) },
  };
  await replaceFile(join(root, SAVED), JSON.stringify(files));
  for (const [name, { published }] of Object.entries(files)) {
    await replaceFile(join(root, name), published);
  }
}

/**
 * Does nothing if no packing was interrupted.
 *
 * @param {string} root
 */
export async function restoreAfterPacking(root) {
  const saved = await readFile(join(root, SAVED), "utf8").catch(() => undefined);
  if (saved === undefined) return;
  /** @type {SavedFiles} */
  const files = JSON.parse(saved);
  for (const [name, { original, published }] of Object.entries(files)) {
    const current = await readFile(join(root, name), "utf8");
    if (current === published) await replaceFile(join(root, name), original);
    else if (current !== original) {
      throw new Error(
        `${name} was edited while it had its published form. Its original is in ${SAVED}: merge the two by ` +
          `hand, then delete ${SAVED}.`,
      );
    }
  }
  await rm(join(root, SAVED));
}

/**
 * @param {string} text
 * @param {string} address
 */
function publishManifest(text, address) {
  const manifest = JSON.parse(text);
  delete manifest.workspaces;
  const links =
    address === ""
      ? {}
      : {
          repository: { type: "git", url: `git+${address}.git` },
          homepage: `${address}#readme`,
          bugs: `${address}/issues`,
        };
  return `${JSON.stringify({ ...manifest, ...links }, null, 2)}\n`;
}

/**
 * A package page has only the README, so its links must be absolute.
 *
 * @param {string} text
 * @param {string} address
 */
function publishReadme(text, address) {
  if (address === "") return text;
  return rewriteLinks(text, (target) => {
    if (/^(?:[a-z][a-z+.-]*:|#)/i.test(target)) return target;
    const view = /\.(?:svg|png|gif|jpe?g|webp)$/i.test(target) ? "raw" : "blob";
    return `${address}/${view}/HEAD/${target.replace(/^\.\//, "")}`;
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
  await (process.argv[2] === "apply" ? applyPublishedForm(root) : restoreAfterPacking(root));
}
