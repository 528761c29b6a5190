import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { build as buildWithVite } from "vite";
import { runOrThrow } from "../../scripts/run-command.mjs";

/**
 * Puts a program and all that it imports into one file.
 *
 * @typedef {object} Bundling
 * @property {string} modules The `node_modules` that the bundlers are in.
 * @property {string} entry
 * @property {string} outFile
 *
 * @typedef {(bundling: Bundling) => Promise<unknown>} Bundler
 */

/** @type {Readonly<Record<string, { extension: ".mjs" | ".cjs", bundle: Bundler }>>} */
export const BUNDLERS = {
  "esbuild, as an ES module": { extension: ".mjs", bundle: esbuild("esm") },
  "esbuild, as CommonJS": { extension: ".cjs", bundle: esbuild("cjs") },
  rollup: { extension: ".mjs", bundle: rollup },
  "webpack 5": { extension: ".cjs", bundle: webpack },
  "vite for a server, nothing external": { extension: ".mjs", bundle: vite },
  "bun build": { extension: ".mjs", bundle: bun },
};

/** @param {string} modules */
function requireFrom(modules) {
  return createRequire(join(modules, "package.json"));
}

/**
 * @param {"esm" | "cjs"} format
 * @returns {Bundler}
 */
function esbuild(format) {
  return ({ modules, entry, outFile }) =>
    requireFrom(modules)("esbuild").build({
      entryPoints: [entry],
      outfile: outFile,
      bundle: true,
      platform: "node",
      format,
      logLevel: "silent",
    });
}

/** @param {Bundling} bundling */
async function rollup({ modules, entry, outFile }) {
  const load = requireFrom(modules);
  const { nodeResolve } = load("@rollup/plugin-node-resolve");
  const bundle = await load("rollup").rollup({
    input: entry,
    external: /^node:/,
    plugins: [nodeResolve()],
  });
  await bundle.write({ file: outFile, format: "es", inlineDynamicImports: true });
  await bundle.close();
}

/** @type {Bundler} */
function webpack({ modules, entry, outFile }) {
  const configuration = {
    mode: "production",
    target: "node18",
    entry,
    output: { path: dirname(outFile), filename: basename(outFile) },
  };
  return new Promise((resolve, reject) => {
    requireFrom(modules)("webpack")(
      configuration,
      (/** @type {unknown} */ error, /** @type {any} */ stats) => {
        if (error) reject(error);
        else if (stats.hasErrors() || stats.hasWarnings()) reject(new Error(stats.toString()));
        else resolve(stats);
      },
    );
  });
}

/** @type {Bundler} */
function vite({ entry, outFile }) {
  return buildWithVite({
    configFile: false,
    root: dirname(entry),
    logLevel: "silent",
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      outDir: dirname(outFile),
      rollupOptions: { output: { entryFileNames: basename(outFile) } },
    },
  });
}

/** @type {Bundler} */
function bun({ modules, entry, outFile }) {
  const platform = `${process.platform}-${process.arch}`.replace("arm64", "aarch64");
  const binary = join(modules, `@oven/bun-${platform}`, "bin", "bun");
  return runOrThrow(binary, ["build", entry, "--target=node", `--outfile=${outFile}`]);
}
