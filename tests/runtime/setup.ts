import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { installPackedPackage } from "../../scripts/packed-package.mjs";
import buildDist from "../support/build-dist.js";
import { installBrowser } from "./install-browser.js";
import { installTools } from "./install-tools.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the packed package is installed, beside the programs that use it. */
    packed: { readonly folder: string; readonly bytes: number; readonly files: readonly string[] };
    /** The `node_modules` of the tools, or why they could not be installed. */
    tools: { readonly modules: string } | { readonly whyNot: string };
    /** A browser's program, or why there is none. */
    browser: { readonly program: string } | { readonly whyNot: string };
  }
}

/** Packs and installs once for all files of tests; they read the folder and write elsewhere. */
export default async function installOnce(project: TestProject): Promise<() => Promise<void>> {
  await buildDist();
  const { folder, bytes, files, remove } = await installPackedPackage();
  for (const program of ["smoke.mjs", "run-smoke.mjs", "node-sqlite.mjs"]) {
    await copyProgram(program, program);
  }
  // Under this name Jest and Vitest find it; the run that packs the package should not.
  await copyProgram("smoke-case.mjs", "smoke.test.mjs");
  // Vitest would otherwise take the configuration of some folder above.
  await writeFile(join(folder, "vitest.config.mjs"), "export default {};\n");
  // Here and not in a test, which would have to wait for a registry within its time limit.
  project.provide(
    "tools",
    await installTools().then(
      (modules) => ({ modules }),
      (error: unknown) => ({ whyNot: String(error) }),
    ),
  );
  project.provide(
    "browser",
    await installBrowser().then(
      (program) => ({ program }),
      (error: unknown) => ({ whyNot: String(error) }),
    ),
  );
  project.provide("packed", { folder, bytes, files });
  return remove;

  function copyProgram(from: string, to: string): Promise<void> {
    return copyFile(fileURLToPath(new URL(from, import.meta.url)), join(folder, to));
  }
}
