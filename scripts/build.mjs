/** Compiles to a folder aside and puts it in place at the end, so that nobody meets half a build. */
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleWorkerSource } from "./bundle-worker.mjs";
import { runOrThrow } from "./run-command.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const making = join(root, "node_modules", ".cache", `dist-${process.pid}`);
const old = `${making}-old`;
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
try {
  await runOrThrow(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", making], {
    cwd: root,
  });
  const search = join(making, "infrastructure", "search");
  const source = await bundleWorkerSource(join(search, "worker-thread.js"));
  await writeFile(join(search, "worker-source.js"), source);
  // Nothing imports it: it is part of the package as text.
  for (const type of ["js", "d.ts"]) await rm(join(search, `worker-thread.${type}`));
  await rename(join(root, "dist"), old).catch(() => undefined);
  await rename(making, join(root, "dist"));
} finally {
  await rm(making, { recursive: true, force: true });
  await rm(old, { recursive: true, force: true });
}
