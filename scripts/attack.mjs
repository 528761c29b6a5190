/**
 * Runs the adversarial tests again and again, each round with a seed of its own, until the time is
 * over or a round fails. A failure is printed with the command that repeats it.
 *
 * node scripts/attack.mjs [--minutes 60] [--runs 5] [name of a test file …]
 */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** How long to go on. */
    minutes: { type: "string", default: "60" },
    /** How many times the cases that CI tries, in each round. */
    runs: { type: "string", default: "5" },
  },
});

const end = Date.now() + Number(values.minutes) * 60_000;
// Without the report of the whole suite, which a round would overwrite.
const vitest = ["vitest", "run", "--reporter=default", "--project", "adversarial", ...positionals];
let rounds = 0;
do {
  const seed = String(randomInt(2 ** 31));
  const settings = { FC_SEED: seed, ADVERSARIAL_RUNS: values.runs };
  const words = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const command = [...words, "npx", ...vitest].join(" ");
  rounds += 1;
  console.log(`attack: round ${rounds}: ${command}`);
  if ((await run(settings)) !== 0) {
    console.error(`attack: round ${rounds} failed. Repeat it with: ${command}`);
    process.exit(1);
  }
} while (Date.now() < end);
console.log(`attack: ${rounds} rounds passed`);

/**
 * @param {Record<string, string>} settings
 * @returns {Promise<number>} the exit code
 */
function run(settings) {
  return new Promise((resolve, reject) => {
    const child = spawn("npx", vitest, {
      env: { ...process.env, ...settings },
      stdio: "inherit",
      shell: process.platform === "win32",
    });
    child.on("error", reject);
    child.on("close", (code) => {
      resolve(code ?? 1);
    });
  });
}
