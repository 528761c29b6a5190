/**
 * `npm test`: every check, every test, the build. `npm run check`: the checks alone.
 *
 * Checks do not wait for each other: as many run at a time as there are cores.
 */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { listSlowest, readReports } from "./test-report.mjs";

/**
 * @typedef {{ what: string, run: string }} Command
 * @typedef {Command | { what: string, together: readonly Command[] }} Step
 */

/** The longest ones first, so that the last one to end is a short one. */
const CHECKS = ["lint", "exports", "format", "types", "docs", "unused", "layers", "workflows"].map(
  (what) => ({ what, run: `npm run --silent check:${what}` }),
);

/**
 * What `npm test` runs, in this order.
 *
 * @type {readonly Step[]}
 */
export const PIPELINE = [
  { what: "checks", together: CHECKS },
  {
    what: "unit and integration tests with coverage",
    run: "npx vitest run --coverage --project unit --project integration",
  },
  {
    // To count what is covered makes a hot loop many times as slow.
    what: "other tests",
    run: "npx vitest run --project adversarial --project packages --project runtime --outputFile.json=reports/vitest-other.json",
  },
  { what: "every requirement is proven", run: "npm run --silent check:proofs" },
  { what: "build", run: "npm run --silent build" },
];

/**
 * Runs the steps until one fails, and says how long each took.
 *
 * @param {readonly Step[]} steps
 * @param {(text: string) => void} print
 * @returns {Promise<number>} The exit code of the step that failed, or 0.
 */
export async function runSteps(steps, print) {
  const start = performance.now();
  const took = [];
  let code = 0;
  for (const step of steps) {
    const began = performance.now();
    code = "run" in step ? await runInShell(step.run) : await runTogether(step.together, print);
    took.push(`${step.what}${code === 0 ? "" : " FAILED"} ${inMinutes(performance.now() - began)}`);
    if (code !== 0) break;
  }
  print(`took ${inMinutes(performance.now() - start)}: ${took.join(", ")}`);
  return code;
}

/**
 * Runs all of them, prints what each said when it ends, and gives the first code that is not 0.
 *
 * @param {readonly Command[]} commands
 * @param {(text: string) => void} print
 */
async function runTogether(commands, print) {
  const waiting = [...commands];
  let code = 0;
  const work = async () => {
    for (let command = waiting.shift(); command; command = waiting.shift()) {
      const began = performance.now();
      /** @type {Buffer[]} */
      const said = [];
      const ended = await runInShell(command.run, said);
      process.stdout.write(Buffer.concat(said));
      const time = inMinutes(performance.now() - began);
      print(`${command.what}${ended === 0 ? "" : " FAILED"} ${time}`);
      code ||= ended;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return code;
}

/**
 * @param {string} command
 * @param {Buffer[]} [said] Where to put what it prints, if not on the terminal.
 * @returns {Promise<number>}
 */
function runInShell(command, said) {
  return new Promise((resolve, reject) => {
    /** @type {import("node:child_process").StdioOptions} */
    const stdio = said ? ["ignore", "pipe", "pipe"] : "inherit";
    /** @type {import("node:child_process").ChildProcess} */
    const child = spawn(command, { shell: true, stdio });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (/** @type {Buffer} */ bytes) => said?.push(bytes));
    }
    child.on("error", reject);
    child.on("close", (code) => {
      resolve(code ?? 1);
    });
  });
}

/** @param {number} ms */
function inMinutes(ms) {
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isChecks = process.argv[2] === "checks";
  const name = isChecks ? "npm run check" : "npm test";
  if (!isChecks) {
    console.log(
      "npm test: all checks, all tests with coverage, and the build. About seven minutes on two idle cores; the " +
        "first time a minute more, for the bundlers and runtimes that the package is tried with.",
    );
  }
  // An old report would prove what this run does not.
  rmSync(fileURLToPath(new URL("../reports", import.meta.url)), { recursive: true, force: true });
  process.exitCode = await runSteps(isChecks ? PIPELINE.slice(0, 1) : PIPELINE, (text) => {
    console.log(`${name} ${text}`);
  });
  if (!isChecks) console.log(listSlowest(await readReports().catch(() => [])));
}
