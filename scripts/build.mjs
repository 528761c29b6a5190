/**
 * Builds into a separate folder and renames it at the end, so that there is never half a build. It does
 * nothing if nothing has changed since the last build.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleCli, bundleWorkerSource, joinModules } from "./bundle.mjs";
import { runOrThrow } from "./run-command.mjs";

// npm packs every package of a release, and each would build beneath the others.
if (process.env["CONTEXT_OFFLOAD_IS_BUILT"] === "true") process.exit();

const root = fileURLToPath(new URL("..", import.meta.url));
// A sibling of dist, since the declaration maps refer to src by a relative path.
const making = join(root, `.dist-${process.pid}`);
const old = `${making}-old`;
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
const stamp = join(root, ".scratch", "built.txt");
if ((await takeStamp()) !== (await readFile(stamp, "utf8").catch(() => undefined))) {
  await buildRoot();
  for (const name of await packagesInOrder()) await buildPackage(join(root, "packages", name));
  await mkdir(join(root, ".scratch"), { recursive: true });
  await writeFile(stamp, await takeStamp());
}

/** Stands for what a build is made of, and for what it made. */
async function takeStamp() {
  const hash = createHash("sha256");
  for (const name of ["src", "packages", "scripts", "dist", "package-lock.json"]) {
    await addToStamp(join(root, name), name === "dist");
  }
  for (const name of await readdir(root)) {
    if (/^(?:package|tsconfig.*)\.json$/.test(name)) await addToStamp(join(root, name), false);
  }
  return hash.digest("hex");

  /** @param {string} path @param {boolean} isOutput */
  async function addToStamp(path, isOutput) {
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) {
      for (const name of (await readdir(path)).sort()) {
        if (/^(?:node_modules|tests|\..*)$/.test(name)) continue;
        await addToStamp(join(path, name), isOutput || name === "dist");
      }
      return;
    }
    // Of what was made, its time and size say enough.
    const content = isOutput ? `${found?.mtimeMs} ${found?.size}` : found && (await readFile(path));
    hash
      .update(`${path}\0`)
      .update(content ?? "")
      .update("\0");
  }
}

async function buildRoot() {
  try {
    await runOrThrow(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", making], {
      cwd: root,
    });
    const search = join(making, "infrastructure", "search");
    const source = await bundleWorkerSource(join(search, "worker-thread.js"));
    await writeFile(join(search, "worker-source.js"), source);
    await joinModules(root, making);
    await rename(join(root, "dist"), old).catch(() => undefined);
    await rename(making, join(root, "dist"));
  } finally {
    await rm(making, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
}

/** The packages that are written in TypeScript; `cli` is built on the others. */
async function packagesInOrder() {
  const names = await readdir(join(root, "packages"));
  return names
    .filter((name) => existsSync(join(root, "packages", name, "tsconfig.build.json")))
    .sort((left, right) => Number(left === "cli") - Number(right === "cli"));
}

/** @param {string} folder */
async function buildPackage(folder) {
  const output = join(folder, `.dist-${process.pid}`);
  const replaced = `${output}-old`;
  try {
    await runOrThrow(
      process.execPath,
      [tsc, "-p", join(folder, "tsconfig.build.json"), "--outDir", output],
      { cwd: root },
    );
    if (folder.endsWith("cli")) await buildCliBundles(folder, output);
    await rename(join(folder, "dist"), replaced).catch(() => undefined);
    await rename(output, join(folder, "dist"));
  } finally {
    await rm(output, { recursive: true, force: true });
    await rm(replaced, { recursive: true, force: true });
  }
}

/** @param {string} folder @param {string} output */
async function buildCliBundles(folder, output) {
  const plugin = join(folder, "plugin", "dist");
  await rm(plugin, { recursive: true, force: true });
  await bundleCli(folder, output, plugin);
}
