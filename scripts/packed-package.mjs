import { mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runOrThrow } from "./run-command.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Packs what is built and installs it in an empty folder, as a user would.
 *
 * @returns {Promise<{ folder: string, tarball: string, remove: () => Promise<void> }>}
 */
export async function installPackedPackage() {
  const folder = await mkdtemp(join(tmpdir(), "context-offload-packed-"));
  const packed = await runOrThrow("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: ROOT,
  });
  const [{ filename }] = JSON.parse(packed);
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const tarball = join(folder, filename);
  await runOrThrow("npm", ["install", "--no-audit", "--no-fund", "--offline", tarball], {
    cwd: folder,
  });
  return { folder, tarball, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * The path of a Node binary of this major version; it is brought from the npm registry once and kept.
 *
 * @param {number} major
 */
export async function nodeBinary(major) {
  if (major === Number(process.versions.node.split(".")[0])) return process.execPath;
  const home = join(ROOT, "node_modules", ".cache", "node-binaries", String(major));
  const binary = join(home, "node_modules", "node", "bin", "node");
  if (await stat(binary).catch(() => undefined)) return binary;
  // Made elsewhere and moved into place, so that a broken install is not taken for a good one.
  const making = `${home}.${process.pid}`;
  await mkdir(making, { recursive: true });
  await writeFile(join(making, "package.json"), '{ "private": true }\n');
  await runOrThrow("npm", ["install", "--no-audit", "--no-fund", `node@${major}`], { cwd: making });
  await rm(home, { recursive: true, force: true });
  await rename(making, home);
  return binary;
}
