import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runOrThrow } from "../../scripts/run-command.mjs";

const FOLDER = fileURLToPath(new URL("tools", import.meta.url));

/** The `node_modules` with bundlers, test runners and runtimes; installed once per lock file and kept. */
export async function installTools(): Promise<string> {
  const lock = await readFile(join(FOLDER, "package-lock.json"));
  const key = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  const home = join(tmpdir(), `context-offload-tools-${key}`);
  const modules = join(home, "node_modules");
  if (await exists(modules)) return modules;
  // Made elsewhere and moved into place, so that a broken install is not taken for a good one.
  const making = await mkdtemp(`${home}-`);
  try {
    await cp(FOLDER, making, { recursive: true });
    // Binaries come inside the packages; no script of a package needs to run.
    await runOrThrow("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: making });
    await rename(making, home).catch(async (error: unknown) => {
      if (!(await exists(modules))) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return modules;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
