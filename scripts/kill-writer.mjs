/**
 * Kills a process that writes artifacts, again and again at random moments, and checks each time that
 * a fresh workspace finds everything that had been acknowledged.
 *
 * node scripts/kill-writer.mjs [kills = 200] [seed = 1]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SESSION = "killed";
/** Maximum number of artifacts that a writer may acknowledge before it is killed. */
const MAX_AWAITED = 12;
const MAX_DELAY_MICROSECONDS = 6_000;
/** One put takes about ten calls. */
const MAX_CALLS = 80;

/** @typedef {typeof import("context-offload").createWorkspace} CreateWorkspace */

/** @typedef {{ kills: number, acknowledged: number, orphans: number, brokenLines: number, problems: string[] }} KillSummary */

/**
 * @param {{ root: string, kills: number, seed: number, createWorkspace: CreateWorkspace }} options
 * @returns {Promise<KillSummary>}
 */
export async function killWriters({ root, kills, seed, createWorkspace }) {
  const random = createRandom(seed);
  /** @type {KillSummary} */
  const summary = { kills: 0, acknowledged: 0, orphans: 0, brokenLines: 0, problems: [] };
  /** @type {Map<string, number>} */
  const acknowledged = new Map();
  for (let kill = 0; kill < kills; kill++) {
    const first = kill * 1_000_000;
    for (const [id, number] of await killOne(root, first, seed, random)) {
      if ((acknowledged.get(id) ?? number) !== number) {
        summary.problems.push(`${id} was given to two different contents`);
      }
      acknowledged.set(id, number);
    }
    summary.kills++;
    const problems = await check(createWorkspace({ root }), acknowledged, seed, summary);
    summary.problems.push(...problems.map((problem) => `kill ${kill + 1}: ${problem}`));
  }
  summary.acknowledged = acknowledged.size;
  return summary;
}

/**
 * Starts a writer that is killed: every other time from outside, a moment after some acknowledgements;
 * otherwise by itself, between two system calls.
 *
 * @param {string} root
 * @param {number} first
 * @param {number} seed
 * @param {() => number} random
 * @returns {Promise<[string, number][]>} what it had acknowledged, and for which content
 */
async function killOne(root, first, seed, random) {
  const dieAt = random() < 0.5 ? 1 + Math.floor(random() * MAX_CALLS) : 0;
  const args = ["--write", root, ...[first, seed, dieAt].map(String)];
  const program = [fileURLToPath(import.meta.url), ...args];
  const child = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  const awaited = Math.floor(random() * MAX_AWAITED);
  const delay = Math.floor(random() * MAX_DELAY_MICROSECONDS);
  /** @type {[string, number][]} */
  const printed = [];
  let isKilled = false;
  for await (const line of createInterface({ input: child.stdout })) {
    // An incomplete line acknowledges nothing.
    if (line.endsWith("}")) {
      const { id, number } = JSON.parse(line);
      if (id !== undefined) printed.push([id, number]);
    }
    if (dieAt > 0 || isKilled || printed.length < awaited) continue;
    isKilled = true;
    const end = process.hrtime.bigint() + BigInt(delay) * 1_000n;
    while (process.hrtime.bigint() < end);
    child.kill("SIGKILL");
  }
  const [code, signal] = await closed;
  if (signal !== "SIGKILL") throw new Error(`The writer was not killed but ended with ${code}.`);
  return printed;
}

/**
 * @param {ReturnType<CreateWorkspace>} workspace
 * @param {ReadonlyMap<string, number>} acknowledged
 * @param {number} seed
 * @param {KillSummary} summary
 * @returns {Promise<string[]>}
 */
async function check(workspace, acknowledged, seed, summary) {
  const problems = [];
  for (const [id, number] of acknowledged) {
    const original = await workspace
      .getOriginal(id, { sessionId: SESSION })
      .catch((/** @type {unknown} */ error) => error);
    if (original !== contentOf(number, seed))
      problems.push(`${id}: ${String(original).slice(0, 200)}`);
  }
  const { damaged, missing, orphaned, brokenLines } = await workspace.verify();
  problems.push(
    ...damaged.map(({ artifactId, problem }) => `${artifactId} is damaged: ${problem}`),
  );
  problems.push(...missing.map(({ artifactId }) => `${artifactId} is missing`));
  summary.orphans = orphaned.length;
  summary.brokenLines = brokenLines;
  const content = `after ${acknowledged.size}`;
  const { record } = await workspace.put({ content }, { toolCallId: "after", sessionId: SESSION });
  const after = await workspace.getOriginal(record.artifactId, { sessionId: SESSION });
  if (after !== content) problems.push("a new artifact does not come back");
  await workspace.close();
  return problems;
}

/**
 * Puts one artifact after the other until it is killed.
 *
 * @param {string} root
 * @param {number} first
 * @param {number} seed
 * @param {number} dieAt
 */
async function write(root, first, seed, dieAt) {
  const { createWorkspace } = await import("context-offload");
  const workspace = createWorkspace({ root });
  if (dieAt > 0) dieAtCall(dieAt);
  console.log("{}");
  for (let number = first; ; number++) {
    const text = contentOf(number, seed);
    const content = number % 4 === 3 ? streamOf(text) : text;
    // Ids are repeated, so that some get a suffix.
    const toolCallId = `id${number % 7}`;
    const { record } = await workspace.put({ content }, { toolCallId, sessionId: SESSION });
    console.log(JSON.stringify({ id: record.artifactId, number }));
  }
}

/**
 * Lets this process kill itself just before it calls the file system for the nth time.
 *
 * @param {number} count
 */
function dieAtCall(count) {
  let calls = 0;
  /** @type {Record<string, any>} */
  const watched = fs;
  for (const name of ["close", "fstat", "lstat", "open", "read", "rename", "unlink", "write"]) {
    const call = watched[name];
    watched[name] = function (/** @type {unknown[]} */ ...args) {
      if (++calls === count) process.kill(process.pid, "SIGKILL");
      return call.apply(this, args);
    };
  }
}

/**
 * @param {number} number
 * @param {number} seed
 */
function contentOf(number, seed) {
  const random = createRandom(seed * 7_919 + number);
  const line = `content ${number} 漢字 😀\n`;
  // Most are small; one in eight is large enough to be killed while it is written.
  const most = random() < 1 / 8 ? 12_000 : 200;
  return line.repeat(1 + Math.floor(random() * most));
}

/** @param {string} text */
async function* streamOf(text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 50_001) yield bytes.subarray(at, at + 50_001);
}

/**
 * Numbers from 0 to 1, the same ones for the same seed (mulberry32).
 *
 * @param {number} seed
 */
function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function main() {
  const [kills = "200", seed = "1"] = process.argv.slice(2);
  const { createWorkspace } = await import("context-offload");
  const root = await mkdtemp(join(tmpdir(), "context-offload-kill-"));
  try {
    const options = { root, kills: Number(kills), seed: Number(seed), createWorkspace };
    const { problems, ...figures } = await killWriters(options);
    for (const problem of problems) console.error(problem);
    console.log(
      `${figures.kills} kills, seed ${seed}: ${figures.acknowledged} artifacts acknowledged, ` +
        `${problems.length} problems, ${figures.orphans} orphans, ${figures.brokenLines} broken lines`,
    );
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [mode, root = "", ...numbers] = process.argv.slice(2);
  const [first = 0, seed = 0, dieAt = 0] = numbers.map(Number);
  await (mode === "--write" ? write(root, first, seed, dieAt) : main());
}
