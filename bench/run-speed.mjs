/**
 * `context-offload run` over recorded conversations in MB/s, beside `jq -c .`, which parses and prints them.
 *
 *   node bench/run-speed.mjs <folders or files…>
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { measure } from "./measure.mjs";

const MAIN = fileURLToPath(new URL("../packages/cli/dist/main.js", import.meta.url));
const SAMPLE = fileURLToPath(new URL("../examples/conversations", import.meta.url));
const given = process.argv.slice(2);
const files = await filesOf(given.length > 0 ? given : [SAMPLE]);
const folder = await mkdtemp(join(tmpdir(), "run-speed-"));
try {
  // Files that are not conversations, or that jq refuses, would stop both; they are left out for both.
  /** @type {string[]} */
  const usable = [];
  let bytes = 0;
  for (const path of files) {
    const { status } = run(process.execPath, [MAIN, "run", "--dry-run", "--quiet", path]);
    if (status !== 0) continue;
    usable.push(path);
    bytes += (await stat(path)).size;
  }
  const hasJq = run("jq", ["--version"]).status === 0;
  const rounds = 3;
  const times = await measure(
    {
      run: async () => {
        const out = await mkdtemp(join(folder, "out-"));
        const { status, stderr } = run(process.execPath, [MAIN, "run", "--quiet", ...usable], out);
        if (status !== 0) throw new Error(stderr);
      },
      "dry run": () => void run(process.execPath, [MAIN, "run", "--dry-run", "--quiet", ...usable]),
      ...(hasJq ? { "jq -c .": () => void run("jq", ["-c", ".", ...usable]) } : {}),
    },
    { rounds, warmUp: 1 },
  );
  const megabytes = bytes / 1e6;
  console.log(`${usable.length} of ${files.length} files, ${megabytes.toFixed(1)} MB`);
  for (const [name, ms] of Object.entries(times)) {
    console.log(
      `${name.padEnd(8)} ${((megabytes * 1_000) / ms).toFixed(1)} MB/s, ${Math.round(ms)} ms`,
    );
  }
  if (!hasJq) console.log("jq is not installed: nothing to compare with");
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** @param {string} command @param {readonly string[]} args @param {string} [cwd] */
function run(command, args, cwd = folder) {
  return spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 2e9 });
}

/** @param {readonly string[]} paths */
async function filesOf(paths) {
  const files = [];
  for (const path of paths.map((each) => resolve(each))) {
    if (!(await stat(path)).isDirectory()) files.push(path);
    else {
      const names = await readdir(path, { recursive: true });
      files.push(...names.filter((name) => /\.jsonl?$/.test(name)).map((name) => join(path, name)));
    }
  }
  return files.sort();
}
