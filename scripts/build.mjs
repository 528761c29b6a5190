/** Builds into a separate folder and renames it at the end, so that there is never half a build. */
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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
