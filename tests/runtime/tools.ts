import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestContext } from "vitest";
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

/** The binaries that npm packages bring for this platform, by the names of the runtimes. */
const BINARIES: Readonly<Record<string, (platform: string) => string>> = {
  "Node 18": (platform) => `node18-${platform}/bin/node`,
  "Node 22": (platform) => `node22-${platform}/bin/node`,
  "Node 24": (platform) => `node24-${platform}/bin/node`,
  Bun: (platform) => `@oven/bun-${platform.replace("arm64", "aarch64")}/bin/bun`,
  Deno: (platform) => `@deno/${platform}${process.platform === "linux" ? "-glibc" : ""}/deno`,
};

export async function findRuntime(name: string): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  const path = BINARIES[name]?.(platform);
  if (path === undefined) throw new Error(`${name} is not one of the runtimes`);
  const binary = join(await installTools(), path);
  if (!(await exists(binary))) throw new Error(`npm brings no ${name} for ${platform}`);
  return binary;
}

/**
 * What a test needs from the registry. Where it cannot be had the test says why and is skipped, but not in
 * continuous integration: there it fails.
 */
export async function obtain<T>(context: TestContext, tool: Promise<T>): Promise<T> {
  return tool.catch((error: unknown) => {
    if (process.env["CI"]) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    console.warn(`not run: ${context.task.name}: ${reason}`);
    return context.skip(reason);
  });
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
