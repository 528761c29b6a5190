import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { rolldown } from "rolldown";

/**
 * Bundles what must start fast or stand alone: the hook, with the engine in a second file that only large results
 * load; and both hook and server for the plugin of Claude Code, which is copied to where there are no packages.
 *
 * @param {string} folder the package
 * @param {string} compiled the output of tsc; the bundles of the command are added to it
 * @param {string} plugin where those of the plugin go
 */
export async function bundleCli(folder, compiled, plugin) {
  /** @type {{ version: string }} */
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const hook = { hook: join(compiled, "hook", "hook-main.js") };
  const server = { server: join(compiled, "plugin-server.js") };
  await bundle(hook, compiled, version);
  await bundle({ ...hook, ...server }, plugin, version);
  await rm(join(compiled, "plugin-server.js"));
}

/**
 * @param {Record<string, string>} input
 * @param {string} dir
 * @param {string} version
 */
async function bundle(input, dir, version) {
  const made = await rolldown({
    input,
    external: /^node:/,
    platform: "node",
    transform: { target: "node20" },
    // Nothing here is imported for its effects alone, so what is not used is not loaded.
    treeshake: { moduleSideEffects: false },
    experimental: { attachDebugInfo: "none" },
    plugins: [
      {
        name: "version",
        // A bundle has no package.json beside it.
        load: (id) =>
          id.endsWith("package-version.js")
            ? `export const PACKAGE_VERSION = ${JSON.stringify(version)};`
            : undefined,
      },
    ],
  });
  await made.write({
    ...{ dir, format: "esm", minify: true },
    chunkFileNames: `${Object.keys(input).join("-")}-[name]-[hash].js`,
  });
  await made.close();
}
