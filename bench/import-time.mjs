import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleWorkerSource } from "../scripts/bundle.mjs";
import { runOrThrow } from "../scripts/run-command.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROUNDS = 21;

/** Prints how long the import took, and how long the process had been running by then. */
const IMPORT = `
  const start = performance.now();
  await import(process.argv[1]);
  console.log(JSON.stringify({ imported: performance.now() - start, running: performance.now() }));
`;

/**
 * Importing the package as it is published, in a few files, against the modules that tsc makes, and the whole
 * process against one that imports an empty module. Each in a new process, in turn.
 *
 * @param {string} folder
 * @returns {Promise<import("./harness.mjs").Row[]>}
 */
export async function benchImportTime(folder) {
  const modules = join(folder, "modules");
  await compile(modules);
  await writeFile(join(folder, "empty.mjs"), "");
  const files = {
    joined: join(ROOT, "dist", "index.js"),
    modules: join(modules, "index.js"),
    empty: join(folder, "empty.mjs"),
  };
  /** @type {Record<keyof typeof files, { imported: number, running: number }[]>} */
  const times = { joined: [], modules: [], empty: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of /** @type {(keyof typeof files)[]} */ (Object.keys(files))) {
      const program = ["--input-type=module", "--eval", IMPORT, pathToFileURL(files[name]).href];
      const printed = JSON.parse(await runOrThrow(process.execPath, program));
      if (round > 0) times[name].push(printed);
    }
  }
  const median = (
    /** @type {keyof typeof files} */ of,
    /** @type {"imported" | "running"} */ what,
  ) => times[of].map((time) => time[what]).sort((a, b) => a - b)[(ROUNDS - 1) / 2] ?? Number.NaN;
  return [
    {
      what: "importing the package",
      against: "the same modules, not joined",
      ours: median("joined", "imported"),
      theirs: median("modules", "imported"),
      aim: "at most a third",
      limit: 1 / 3,
    },
    {
      what: "a process that imports the package",
      against: "one that imports an empty module",
      ours: median("joined", "running"),
      theirs: median("empty", "running"),
      aim: "none",
      limit: null,
    },
  ];
}

/** @param {string} folder */
async function compile(folder) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  await runOrThrow(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", folder], {
    cwd: ROOT,
  });
  const search = join(folder, "infrastructure", "search");
  const source = await bundleWorkerSource(join(search, "worker-thread.js"));
  await writeFile(join(search, "worker-source.js"), source);
}
