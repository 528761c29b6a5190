import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import ts from "typescript";

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
