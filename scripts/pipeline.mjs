import { spawn } from "node:child_process";

/** @typedef {{ what: string, run: string }} Step */

/**
 * What `npm test` runs, in this order.
 *
 * @type {readonly Step[]}
 */
export const PIPELINE = [
  { what: "types, lint, format, layers, unused code, docs, exports", run: "npm run check" },
  { what: "tests with coverage", run: "npx vitest run --coverage" },
  { what: "every requirement is proven", run: "npm run check:proofs" },
  { what: "build", run: "npm run build" },
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
  for (const { what, run } of steps) {
    const began = performance.now();
    code = await runInShell(run);
    took.push(`${what}${code === 0 ? "" : " FAILED"} ${inMinutes(performance.now() - began)}`);
    if (code !== 0) break;
  }
  print(`took ${inMinutes(performance.now() - start)}: ${took.join(", ")}`);
  return code;
}

/**
 * @param {string} command
 * @returns {Promise<number>}
 */
function runInShell(command) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, stdio: "inherit" });
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
