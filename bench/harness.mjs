/** What the benchmarks share: measuring in turn, tables for the pages, a folder of their own, and the peers. */
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runOrThrow } from "../scripts/run-command.mjs";

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {string} against
 * @property {number} ours in milliseconds
 * @property {number} theirs in milliseconds
 * @property {string} aim
 * @property {number | null} limit the ratio that the aim allows; `null` when there is no aim
 */

/**
 * Measures each of the ways, run in turn, so that a busy moment of the machine affects all alike. A
 * way may return a function that cleans up; that is not measured.
 *
 * @param {Record<string, () => unknown>} ways
 * @param {{ rounds: number, warmUp?: number }} options
 * @returns {Promise<Record<string, number>>} the median of each, in milliseconds
 */
export async function measure(ways, { rounds, warmUp = Math.ceil(rounds / 5) }) {
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const start = performance.now();
      const cleanUp = await way();
      const took = performance.now() - start;
      if (typeof cleanUp === "function") await cleanUp();
      if (round >= 0) times[name]?.push(took);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, took]) => [name, median(took)]));
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * The rows as a Markdown table; docs/performance.md quotes it.
 *
 * @param {readonly Row[]} rows
 */
export function renderTable(rows) {
  return table(
    "what | ours | against | it takes | ratio | aim",
    rows.map((row) => {
      const { what, against, ours, theirs, aim } = row;
      const ratio = `${(ours / theirs).toFixed(2)}${isMet(row) ? "" : " (missed)"}`;
      return [what, ms(ours), against, ms(theirs), ratio, aim];
    }),
  );
}

/** @param {number} value */
function ms(value) {
  return `${value.toFixed(value < 10 ? 3 : 1)} ms`;
}

const START = "<!-- bench:start -->";
const END = "<!-- bench:end -->";

/**
 * @typedef {object} Results
 * @property {string} node
 * @property {number} readerPeakMb
 * @property {number} queryGrowthMb
 * @property {{ small: number, large: number }} skippedPassBytes
 * @property {{ megabytes: number, peakMb: number }} [run]
 * @property {Row[]} rows
 */

/**
 * The performance page with the figures of a run inserted.
 *
 * @param {string} page
 * @param {Results} results
 */
export function withFigures(page, results) {
  const before = page.slice(0, page.indexOf(START) + START.length);
  const after = page.slice(page.indexOf(END));
  return `${before}\n\n${renderFigures(results)}\n\n${after}`;
}

/** @param {Results} results */
export function renderFigures({ node, rows, readerPeakMb, queryGrowthMb, skippedPassBytes, run }) {
  const stream = run
    ? `\`context-offload run\` peaks at ${run.peakMb} MB for a session of ${run.megabytes} MB in lines. `
    : "";
  return [
    renderTable(rows),
    "",
    `Medians of one run on Node ${node.slice(1)} and two cores; \`npm run bench\` prints yours. ` +
      `A process that only reads an artifact of 1 GB peaks at ${readerPeakMb} MB. ` +
      stream +
      `One pointer out of 36 MB of JSON takes at most ${queryGrowthMb} MB, however the JSON is stored. ` +
      `A history pass that is skipped allocates no more for 100 kB a message ` +
      `(${group(skippedPassBytes.large)} bytes for 1,000 messages) than for 1 kB (${group(skippedPassBytes.small)} bytes).`,
  ].join("\n");
}

/** @param {number} count */
function group(count) {
  return count.toLocaleString("en-US");
}

/**
 * @typedef {{ putsPerSecond: number, diskPerPut: number, firstReadMs: number, readMs: number }} StoreFigures
 * @typedef {Record<string, { count: number, p50: number, p99: number }>} Listings
 */

/** The tables that docs/stores.md quotes. @param {Record<string, StoreFigures>} results */
export function storesTable(results) {
  return table(
    "store | puts per second of 10 kB, four processes | 100 lines of 50 MB | the first read | disk for 10 kB",
    Object.entries(results).map(([name, { putsPerSecond, readMs, firstReadMs, diskPerPut }]) => [
      name,
      putsPerSecond.toLocaleString("en"),
      `${readMs} ms`,
      `${Math.round(firstReadMs).toLocaleString("en")} ms`,
      `${(diskPerPut / 1_000).toFixed(1)} kB`,
    ]),
  );
}

/** @param {Record<string, Listings>} listings */
export function listingTable(listings) {
  return table(
    "store | 10,000 artifacts, median | 99th percentile | 1,000,000 artifacts, median | 99th percentile",
    Object.entries(listings).map(([name, sizes]) => [
      name,
      ...Object.values(sizes).flatMap(({ p50, p99 }) => [`${p50} ms`, `${p99} ms`]),
    ]),
  );
}

/** @typedef {{ turnMs: number, slowTurnMs: number, peakMb: number, threads: number }} ServerFigures */

/** The table that docs/server.md quotes. @param {Record<string, ServerFigures>} results */
export function serverTable(results) {
  return table(
    "each request uses | a turn, median | 99th percentile | peak memory | threads added",
    Object.entries(results).map(([way, { turnMs, slowTurnMs, peakMb, threads }]) => [
      way,
      ...[turnMs, slowTurnMs].map((ms) => `${Math.round(ms).toLocaleString("en")} ms`),
      `${peakMb.toLocaleString("en")} MB`,
      `${threads}`,
    ]),
  );
}

/** @param {string} head @param {readonly (readonly string[])[]} rows */
export function table(head, rows) {
  const titles = head.split(" | ");
  return [titles, titles.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** In milliseconds with two decimals. @param {readonly number[]} times @param {number} share */
export function percentile(times, share) {
  const sorted = [...times].sort((a, b) => a - b);
  return toHundredths(
    sorted[Math.min(Math.floor((sorted.length * share) / 100), sorted.length - 1)] ?? 0,
  );
}

/** @param {number} ms */
export function toHundredths(ms) {
  return Math.round(ms * 100) / 100;
}

/** @param {Row} row whether it is within its limit */
export function isMet({ ours, theirs, limit }) {
  return limit === null || ours / theirs <= limit;
}

/**
 * The most memory that this process has had, in bytes. What the system counts for a process that was
 * started by a larger one begins with that one's size, so Linux is asked for the process itself.
 *
 * @public for the programs that memory.mjs starts
 */
export function peakMemory() {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Not Linux.
  }
  return process.resourceUsage().maxRSS * 1024;
}

/** Where the packages to compare with are installed. */
export const PEERS = fileURLToPath(new URL("peers/", import.meta.url));

/** Installs all of them on first use. */
export async function installPeers() {
  const installed = await stat(`${PEERS}node_modules`).catch(() => undefined);
  if (!installed) await runOrThrow("npm", ["ci", "--no-audit", "--no-fund"], { cwd: PEERS });
}

/** @param {string} name */
export async function importPeer(name) {
  await installPeers();
  return import(pathToFileURL(createRequire(`${PEERS}package.json`).resolve(name)).href);
}

/** The path of ripgrep. */
export async function ripgrepPath() {
  const { rgPath } = await importPeer("@vscode/ripgrep");
  return rgPath;
}
