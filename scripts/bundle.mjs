/** What the build makes of the output of tsc: the search worker, the files of the package, those of the command. */
import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import ts from "typescript";

/**
 * The module `worker-source` with the search worker and everything that it imports as one CommonJS
 * script, for `new Worker(text, { eval: true })`. Minified, since no minifier shortens a string.
 *
 * @param {string} entry the worker's main file, as TypeScript or compiled
 * @returns {Promise<string>}
 */
export async function bundleWorkerSource(entry) {
  const bundle = await rolldown({
    input: entry,
    platform: "node",
    transform: { target: "node18" },
  });
  const { output } = await bundle.generate({
    format: "cjs",
    minify: true,
  });
  await bundle.close();
  const [{ code }] = output;
  return `export const WORKER_SOURCE = ${JSON.stringify(code)};\n`;
}

/**
 * Joins the modules that tsc made into one file per entry and files for what the entries share: a program that
 * imports the package would otherwise read hundreds of files. Declarations that no entry needs are removed.
 *
 * @param {string} root The folder of package.json, whose `exports` name the entries.
 * @param {string} folder The output of tsc; it becomes what is published.
 */
export async function joinModules(root, folder) {
  const entries = await readEntries(root);
  const compiled = await listFiles(folder, /\.js$/);
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, join(folder, `${entry}.js`)])),
    platform: "node",
    transform: { target: "node18" },
    // It would contain the name of the folder, so that every build would differ.
    experimental: { attachDebugInfo: "none" },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    chunkFileNames: "shared-[hash].js",
    minifyInternalExports: false,
  });
  await bundle.close();
  const joined = output.map(({ fileName }) => join(folder, fileName));
  const reached = await findReachable(entries.map((entry) => join(folder, `${entry}.d.ts`)));
  const declarations = await listFiles(folder, /\.d\.ts(?:\.map)?$/);
  const unused = [
    ...compiled.filter((path) => !joined.includes(path)),
    ...declarations.filter((path) => !reached.has(path.replace(/\.map$/, ""))),
  ];
  await Promise.all(unused.map((path) => rm(path)));
}

/** @param {string} root */
async function readEntries(root) {
  /** @type {{ exports: Record<string, { default?: string }> }} */
  const { exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return Object.values(exports).flatMap(
    (targets) => /^\.\/dist\/(.+)\.js$/.exec(targets.default ?? "")?.[1] ?? [],
  );
}

/**
 * @param {string} folder
 * @param {RegExp} names
 */
async function listFiles(folder, names) {
  const entries = await readdir(folder, { recursive: true });
  return entries.filter((entry) => names.test(entry)).map((entry) => join(folder, entry));
}

/**
 * The declarations that these import, directly or indirectly, and these themselves.
 *
 * @param {readonly string[]} declarations
 */
async function findReachable(declarations) {
  const found = new Set(declarations);
  // A set that grows while it is iterated is iterated to its new end.
  for (const path of found) {
    for (const { fileName } of ts.preProcessFile(await readFile(path, "utf8")).importedFiles) {
      if (!fileName.startsWith(".")) continue;
      found.add(join(dirname(path), fileName.replace(/\.js$/, ".d.ts")));
    }
  }
  return found;
}

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
  const statusLine = join(compiled, "savings", "status-line-main.js");
  await bundle(hook, compiled, version);
  await bundle({ "status-line": statusLine }, compiled, version);
  await bundle({ ...hook, ...server }, plugin, version);
  await rm(statusLine);
  await rm(join(compiled, "plugin-server.js"));
  await bundlePage(folder, compiled);
}

/**
 * Makes the program of the page one script, and puts it and its style beside the module that serves them.
 *
 * @param {string} folder the package
 * @param {string} compiled the output of tsc
 */
async function bundlePage(folder, compiled) {
  const browser = join(folder, "src", "page", "browser");
  const made = await rolldown({
    input: join(browser, "main.ts"),
    platform: "browser",
    transform: { target: "es2022" },
    experimental: { attachDebugInfo: "none" },
  });
  const { output } = await made.generate({ format: "iife", minify: true });
  await made.close();
  const [{ code }] = output;
  // An export has it in an element, which this would end.
  if (code.includes("</script")) throw new Error("the program of the page contains </script");
  await writeFile(join(compiled, "page", "page.js"), code);
  await copyFile(join(browser, "page.css"), join(compiled, "page", "page.css"));
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
