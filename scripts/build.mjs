/** Builds into a separate folder and renames it at the end, so that there is never half a build. */
import { existsSync } from "node:fs";
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleCli } from "./bundle-cli.mjs";
import { bundleWorkerSource } from "./bundle-worker.mjs";
import { joinModules } from "./join-modules.mjs";
import { restoreAfterPacking } from "./published-form.mjs";
import { runOrThrow } from "./run-command.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
// A sibling of dist, since the declaration maps refer to src by a relative path.
const making = join(root, `.dist-${process.pid}`);
const old = `${making}-old`;
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
try {
  await restoreAfterPacking(root);
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
for (const name of await packagesInOrder()) await buildPackage(join(root, "packages", name));

/** The packages that are written in TypeScript; `cli` is built on the others. */
async function packagesInOrder() {
  const names = await readdir(join(root, "packages"));
  return names
    .filter((name) => existsSync(join(root, "packages", name, "tsconfig.build.json")))
    .sort((left, right) => Number(left === "cli") - Number(right === "cli"));
}

/** @param {string} folder */
async function buildPackage(folder) {
  await restoreAfterPacking(folder);
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
