/**
 * Publishes the packed packages whose version the registry does not have, then tags the commit. Tarballs, because
 * `npm publish` in a folder reads package.json and README.md again once `postpack` has restored them, and because
 * `changeset publish` runs it in all folders at once, where each would build beneath the others.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PACKAGES, packPackage } from "./packed-package.mjs";
import { runCommand, runOrThrow } from "./run-command.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const destination = await mkdtemp(join(tmpdir(), "context-offload-publishing-"));
try {
  for (const directory of PACKAGES) {
    const { name, version } = JSON.parse(
      await readFile(join(root, directory, "package.json"), "utf8"),
    );
    if (await isPublished(name, version)) {
      console.log(`${name}@${version} is published already`);
      continue;
    }
    const { tarball } = await packPackage(destination, directory);
    await runOrThrow("npm", ["publish", tarball, "--access", "public"], { cwd: root });
    console.log(`${name}@${version} published`);
  }
} finally {
  await rm(destination, { recursive: true, force: true });
}
const changesets = join(root, "node_modules", "@changesets", "cli", "bin.js");
// The release workflow reads the new tags from what this prints.
process.stdout.write(await runOrThrow(process.execPath, [changesets, "tag"], { cwd: root }));

/**
 * @param {string} name
 * @param {string} version
 */
async function isPublished(name, version) {
  const args = ["view", `${name}@${version}`, "version", "--json", "--prefer-online"];
  const { code, stdout, stderr } = await runCommand("npm", args, { cwd: root });
  if (code === 0) return stdout.trim() !== "";
  if (/\bE404\b/.test(stdout + stderr)) return false;
  throw new Error(`The registry does not say whether it has ${name}@${version}:\n${stderr}`);
}
