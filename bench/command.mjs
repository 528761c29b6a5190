import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { measure } from "./harness.mjs";
import { writeRecordedSession } from "./samples.mjs";

const HOOK = fileURLToPath(new URL("../packages/cli/dist/hook.js", import.meta.url));

/**
 * What the hook adds to a tool call: its start with a small result, against a bare `node -e 0`, in turn.
 *
 * @param {string} folder
 * @returns {Promise<import("./harness.mjs").Row[]>}
 */
export async function benchHook(folder) {
  await mkdir(folder, { recursive: true });
  const small = eventOf(folder, "ok ".repeat(50));
  const large = eventOf(folder, "a line of a long log\n".repeat(2_000));
  const took = await measure(
    {
      bare: () => start(["-e", "0"], ""),
      small: () => start([HOOK], small),
      large: () => start([HOOK], large),
    },
    { rounds: 31 },
  );
  const row = { against: "node -e 0", theirs: took["bare"] ?? 0 };
  return [
    {
      ...{ what: "hook: a small result", ...row, ours: took["small"] ?? 0 },
      ...{ aim: "at most 1.5", limit: 1.5 },
    },
    {
      ...{ what: "hook: 42 kB, offloaded", ...row, ours: took["large"] ?? 0 },
      ...{ aim: "none", limit: null },
    },
  ];
}

/** @param {string} folder @param {string} stdout @param {string} [tool_use_id] */
function eventOf(folder, stdout, tool_use_id = "t") {
  return JSON.stringify({
    ...{ hook_event_name: "PostToolUse", session_id: "s", cwd: folder, tool_name: "Bash" },
    ...{ tool_use_id, tool_input: { command: "x" } },
    tool_response: { stdout, stderr: "", interrupted: false },
  });
}

/** @param {readonly string[]} args @param {string} input */
function start(args, input) {
  const { status } = spawnSync(process.execPath, args, { input });
  if (status !== 0) throw new Error(`exit code ${status}`);
}

const MAIN = fileURLToPath(new URL("../packages/cli/dist/main.js", import.meta.url));
const STATUS_LINE = fileURLToPath(new URL("../packages/cli/dist/status-line.js", import.meta.url));
const HOOKED_RESULTS = 20;

/**
 * What the status line takes beyond a bare `node -e 0`, for a session of some results, each noted by a hook of its own.
 *
 * @param {string} folder
 * @returns {Promise<import("./harness.mjs").Row[]>}
 */
export async function benchStatusLine(folder) {
  await mkdir(folder, { recursive: true });
  for (let at = 0; at < HOOKED_RESULTS; at++) {
    start([HOOK], eventOf(folder, `${at} a line of a long log\n`.repeat(2_000), `t${at}`));
  }
  const input = JSON.stringify({ session_id: "s", cwd: folder });
  const took = await measure(
    { bare: () => start(["-e", "0"], ""), line: () => start([STATUS_LINE], input) },
    { rounds: 31 },
  );
  return [
    {
      ...{ what: "status line: a session of 20 results", against: "node -e 0" },
      ...{ theirs: took["bare"] ?? 0, ours: took["line"] ?? 0 },
      ...{ aim: "at most 1.6", limit: 1.6 },
    },
  ];
}

const SESSION_BYTES = 10_000_000;

/**
 * `context-offload run` over recorded conversations, beside `jq -c .`, which parses and prints them.
 *
 * @param {string} folder
 * @param {readonly string[]} [given] a session is made if there are none
 * @returns {Promise<import("./harness.mjs").Row[]>}
 */
export async function benchRun(folder, given = []) {
  await mkdir(folder, { recursive: true });
  if (run("jq", ["--version"], folder).status !== 0) {
    console.error("jq is not installed: context-offload run is not measured");
    return [];
  }
  const usable = given.length > 0 ? await usableIn(given, folder) : [await makeSession(folder)];
  const bytes = (await Promise.all(usable.map((path) => stat(path)))).reduce(
    (sum, { size }) => sum + size,
    0,
  );
  const inNew = async (/** @type {readonly string[]} */ args) => {
    const { status, stderr } = run(process.execPath, args, await mkdtemp(join(folder, "out-")));
    if (status !== 0) throw new Error(stderr);
  };
  const took = await measure(
    {
      run: () => inNew([MAIN, "run", "--quiet", ...usable]),
      dry: () => inNew([MAIN, "run", "--quiet", "--dry-run", ...usable]),
      jq: () => void run("jq", ["-c", ".", ...usable], folder),
    },
    { rounds: 3, warmUp: 1 },
  );
  const what = (/** @type {string} */ command, /** @type {string} */ name) =>
    `${command}: ${(bytes / 1e6).toFixed(1)} MB, ${perSecond(bytes, took[name])}`;
  const row = {
    ...{ against: `jq -c .: ${perSecond(bytes, took["jq"])}`, theirs: took["jq"] ?? 0 },
    ...{ aim: "none", limit: null },
  };
  return [
    { what: what("context-offload run", "run"), ours: took["run"] ?? 0, ...row },
    { what: what("the same with --dry-run", "dry"), ours: took["dry"] ?? 0, ...row },
  ];
}

/** @param {number} bytes @param {number} [ms] */
function perSecond(bytes, ms = Number.NaN) {
  return `${(bytes / 1e3 / ms).toFixed(1)} MB/s`;
}

/** @param {string} folder */
async function makeSession(folder) {
  const path = join(folder, "session.jsonl");
  await writeRecordedSession(path, SESSION_BYTES);
  return path;
}

/**
 * Files that are not conversations would stop both; they are not measured with either.
 *
 * @param {readonly string[]} paths
 * @param {string} folder
 */
async function usableIn(paths, folder) {
  const files = [];
  for (const path of paths.map((each) => resolve(each))) {
    if (!(await stat(path)).isDirectory()) files.push(path);
    else {
      const names = await readdir(path, { recursive: true });
      files.push(...names.filter((name) => /\.jsonl?$/.test(name)).map((name) => join(path, name)));
    }
  }
  const isUsable = (/** @type {string} */ path) =>
    run(process.execPath, [MAIN, "run", "--dry-run", "--quiet", path], folder).status === 0;
  return files.sort().filter(isUsable);
}

/** @param {string} command @param {readonly string[]} args @param {string} cwd */
function run(command, args, cwd) {
  return spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 2e9 });
}
