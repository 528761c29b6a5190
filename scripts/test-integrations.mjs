// Tests the drop-ins with the frameworks that `npm ci` does not install: for each folder of
// integrations/ it installs what the lock file says, checks the types and the code on its page, runs the
// tests and the example.
//
//   node scripts/test-integrations.mjs [name…] [--allow-skips]

import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFor } from "./node-for.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = join(ROOT, "integrations");

const names = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const allowSkips = process.argv.includes("--allow-skips");
const all = readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, "package.json")));
const unknown = names.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")} in integrations/, only ${all.join(", ")}.`);
  process.exit(2);
}

run(process.execPath, ["scripts/build.mjs"], ROOT);
const outcomes = (names.length > 0 ? names : all).map((name) => ({ name, ...testOne(name) }));

console.log("");
for (const { name, outcome, reason } of outcomes) {
  console.log(`${outcome.padEnd(8)}${name}${reason === undefined ? "" : `: ${reason}`}`);
}
const isBad = outcomes.some(
  ({ outcome }) => outcome === "failed" || (outcome === "skipped" && !allowSkips),
);
process.exit(isBad ? 1 : 0);

/**
 * @param {string} name
 * @returns {{ outcome: "passed" | "failed" | "skipped", reason?: string }}
 */
function testOne(name) {
  const folder = join(FOLDER, name);
  console.log(`\n== ${name}`);
  const installed = run("npm", ["ci", "--no-audit", "--no-fund"], folder);
  if (installed !== 0) return { outcome: "skipped", reason: "npm ci failed, see above" };
  linkPackage(folder);
  const found = nodeFor(folder);
  if ("missing" in found) {
    const reason = `needs Node ${found.missing}, this is ${process.version}`;
    return { outcome: "skipped", reason };
  }
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const config = ["--config", join(FOLDER, "vitest.config.ts")];
  /** @type {[step: string, args: string[], cwd: string][]} */
  const steps = [
    ["types", [tsc, "-p", folder], folder],
    ["page", ["scripts/check-page.mjs", name], ROOT],
    ["tests", [vitest, "run", ...config, `integrations/${name}/`], ROOT],
    ["example", ["example.mjs"], folder],
  ];
  for (const [step, args, cwd] of steps) {
    if (step === "example" && !existsSync(join(folder, "example.mjs"))) continue;
    if (run(found.node, args, cwd) !== 0) return { outcome: "failed", reason: step };
  }
  return { outcome: "passed" };
}

/**
 * Lets the example import this package by its name; a dependency in package.json would make the lock
 * file repeat the dependencies of this repository.
 *
 * @param {string} folder
 */
function linkPackage(folder) {
  const modules = join(folder, "node_modules");
  const link = join(modules, "context-offload");
  mkdirSync(modules, { recursive: true });
  if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(ROOT, link, "junction");
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function run(command, args, cwd) {
  const shell = process.platform === "win32" && command === "npm";
  return spawnSync(command, args, { cwd, stdio: "inherit", shell }).status ?? 1;
}
