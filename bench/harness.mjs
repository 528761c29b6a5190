/** What the benchmarks share: measuring in turn, tables for the pages, a folder of their own, and the peers. */
import { fork } from "node:child_process";
import { once } from "node:events";
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

/** The way to put and get in which the store does its part alone. */
export const STORE_ALONE = "context-offload, the store alone";

/**
 * @typedef {{ p50: number, p99?: number, rows?: number, statements?: number }} VerbFigures
 * @typedef {{ p50: number, p99: number, perSecond: number, cpuUs: number, times: number, cpuTimes: number }} RateFigures
 * @typedef {object} GrowthFigures What bench/stores-growth.mjs measured of a store, as far as it has come.
 * @property {Record<string, Record<string, VerbFigures>>} [growth]
 * @property {{ size: number, ms: Record<string, number> }} [blocks]
 * @property {Record<string, Record<"put" | "get", RateFigures>>} [exchange]
 * @property {{ size: number, statements: number, rows: number }} [retention]
 * @property {{ sessions: number, rows: number }} [live]
 * @property {{ count: number, early: VerbFigures, late: VerbFigures }} [sealed]
 * @property {{ ms: number, statements?: number, requests?: number, uploads?: number }} [removal]
 * @property {{ searches: number, failed: number, searchMs: number, descriptors: number, loopP99: number }} [sessions]
 */

/**
 * What was found before the stores were made for a fleet, what was aimed at, and how it is read off the
 * figures of a store; each is one row of a table.
 *
 * @typedef {{ store: string, what: string, before: string, aim: string, now: (found: GrowthFigures) => string | undefined }} Aim
 * @type {readonly Aim[]}
 */
const AIMS = [
  {
    ...{ store: "PostgreSQL", before: "250,583 rows, 587 statements", aim: "≤ 100 rows" },
    what: "retention with nothing to remove, while 40 artifacts are put",
    now: ({ retention }) =>
      retention && `${some(retention.rows, "row")}, ${some(retention.statements, "statement")}`,
  },
  {
    ...{ store: "SQLite", before: "16.4 s, 2.6 s, 1.6 s, 2.6 s", aim: "≤ 50 ms" },
    what: "longest block of the event loop: verify, prune, all sessions, retention at open",
    now: ({ blocks }) => blocks && listed(Object.values(blocks.ms)),
  },
  ofVerb("SQLite", "read by id alone", "3.3 ms, 134 ms", "flat"),
  ofVerb("PostgreSQL", "all sessions", "47 ms, 2,505 ms", "one statement, in pages"),
  ofVerb("PostgreSQL", "list all, a page", "62 ms at 100,000", "bounded"),
  ofVerb("SQLite", "list all, a page", "172 ms at 100,000", "bounded"),
  ofVerb("SQLite", "filter by another key", "503 ms at 100,000", "bounded"),
  ofVerb("SQLite", "unknown id", "213 ms at 100,000", "bounded"),
  ...["PostgreSQL", "SQLite", "files"].map((store) => ({
    ...{ store, before: "0.9 ms, 7.8 ms", aim: "flat" },
    what: "encrypted put, early and late in a session of 5,000",
    now: (/** @type {GrowthFigures} */ { sealed }) =>
      sealed && listed([sealed.early.p50, sealed.late.p50]),
  })),
  {
    ...{ store: "PostgreSQL", before: "202 rows", aim: "2 rows" },
    what: "a read of one of 400 sessions that are in use",
    now: ({ live }) => live && some(live.rows, "row"),
  },
  ofVerb("SQLite", "verify, lists alone", "not possible", "in parallel, in parts"),
  {
    ...{ store: "PostgreSQL", before: "4.9 ×, 6.8 ×", aim: "≤ 2 ×, ≤ 2 ×" },
    what: "put and get, compared with the bare client",
    now: timesOf,
  },
  {
    ...{ store: "SQLite", before: "6.3 ×, 24 ×", aim: "≤ 3 ×, ≤ 4 ×" },
    what: "put and get, compared with the bare client",
    now: timesWithCpuOf,
  },
  {
    ...{ store: "files", before: "5 ×, 2.6 ×", aim: "≤ 2 ×, ≤ 1.5 ×" },
    what: "put and get, compared with unstorage",
    now: timesWithCpuOf,
  },
  {
    ...{ store: "PostgreSQL", before: "401 statements", aim: "a handful" },
    what: "a session of 200 is removed",
    now: ({ removal }) => removal && some(removal.statements, "statement"),
  },
  {
    ...{ store: "object storage", before: "LIST and DELETE for each", aim: "a handful" },
    what: "a session of 200 is removed",
    now: ({ removal }) =>
      removal && `${some(removal.requests, "request")}, ${some(removal.statements, "statement")}`,
  },
  {
    ...{ store: "object storage", before: "uploaded, then removed", aim: "no upload" },
    what: "the same put again",
    now: ({ removal }) => removal && some(removal.uploads, "upload"),
  },
  {
    ...{ store: "files", before: "1,020; 447 ms", aim: "≤ 200; ≤ 100 ms" },
    what: "500 sessions: descriptors; 99th percentile of the event loop's delay",
    now: ({ sessions }) => sessions && `${sessions.descriptors}; ${sessions.loopP99} ms`,
  },
  {
    ...{ store: "PostgreSQL", before: "230", aim: "0" },
    what: "500 sessions: of 1,500 searches at once fail",
    now: ({ sessions }) => sessions && `${sessions.failed} of ${group(sessions.searches)}`,
  },
];

/** A verb at each size. @param {string} store @param {string} what @param {string} before @param {string} aim @returns {Aim} */
function ofVerb(store, what, before, aim) {
  return {
    ...{ store, what, before, aim },
    now({ growth = {} }) {
      const sizes = Object.values(growth).flatMap((verbs) => verbs[what]?.p50 ?? []);
      return sizes.length > 0 ? listed(sizes) : undefined;
    },
  };
}

/** @param {number | undefined} count @param {string} what */
function some(count = 0, what) {
  return `${group(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** @param {readonly number[]} ms */
function listed(ms) {
  return ms.map((one) => `${group(one)} ms`).join(", ");
}

/** @param {GrowthFigures} found */
function timesOf({ exchange = {} }) {
  const of = (/** @type {string} */ way) => {
    const { put, get } = exchange[way] ?? {};
    return put && get && `${put.times.toFixed(1)} ×, ${get.times.toFixed(1)} ×`;
  };
  const whole = of("context-offload");
  return whole && `${whole}; the store alone ${of(STORE_ALONE)}`;
}

/** Where all the work is done in one process, its use of the processor can be compared, too. @param {GrowthFigures} found */
function timesWithCpuOf(found) {
  const { put, get } = found.exchange?.["context-offload"] ?? {};
  const cpu = put && get && `${put.cpuTimes.toFixed(1)} ×, ${get.cpuTimes.toFixed(1)} ×`;
  return cpu && `${timesOf(found)}; of the processor's time ${cpu}`;
}

/** The tables of growth that docs/stores.md has. @param {Record<string, GrowthFigures>} figures */
export function growthTables(figures) {
  const stores = Object.entries(figures);
  if (stores.length === 0) return "";
  const aims = table(
    "store | what | before | aim | now",
    AIMS.flatMap(({ store, what, before, aim, now }) => {
      const found = now(figures[store] ?? {});
      return found === undefined ? [] : [[store, what, before, aim, found]];
    }),
  );
  const cell = (/** @type {VerbFigures | undefined} */ found) =>
    found
      ? `${group(found.p50)} ms${found.p99 === undefined ? "" : ` (${group(found.p99)})`}${found.rows === undefined ? "" : `, ${some(found.rows, "row")}`}`
      : "";
  const verbs = stores.flatMap(([name, { growth = {} }]) => {
    const sizes = Object.keys(growth);
    const [first] = Object.values(growth);
    if (!first) return [];
    return table(
      [name, ...sizes.map((size) => group(Number(size)))].join(" | "),
      Object.keys(first).map((verb) => [verb, ...sizes.map((size) => cell(growth[size]?.[verb]))]),
    );
  });
  const rates = table(
    "10 kB, 8 at a time | puts a second | 99th percentile | times as long | gets a second | 99th percentile | times as long",
    stores.flatMap(([name, { exchange = {} }]) =>
      Object.entries(exchange).map(([way, { put, get }]) => [
        `${name}, ${way}`,
        ...[put, get].flatMap(({ perSecond, p99, times }) => [
          group(Math.round(perSecond)),
          `${p99} ms`,
          `${times.toFixed(1)} ×`,
        ]),
      ]),
    ),
  );
  const many = table(
    "store | searches at once | failed | all of them took | descriptors | event loop, 99th percentile | a session of 200 removed",
    stores.flatMap(([name, { sessions, removal }]) =>
      sessions
        ? [
            [
              name,
              group(sessions.searches),
              `${sessions.failed}`,
              `${group(sessions.searchMs)} ms`,
              `${sessions.descriptors}`,
              `${sessions.loopP99} ms`,
              `${removal?.ms} ms${removal?.statements === undefined ? "" : `, ${some(removal.statements, "statement")}`}`,
            ],
          ]
        : [],
    ),
  );
  return [
    "What a fleet met in these stores before they were made for it, and what the same is now. " +
      "The figures of before are of another machine; where there are several, they are for 10,000 and 100,000 artifacts. " +
      "Those of now are of one run of `bench/stores-growth.mjs`, like all below, for as many sizes as the tables below have. " +
      "A put includes the reference that it returns, which the store alone does not make.",
    aims,
    "Growth: medians, with 99th percentiles in parentheses, and the rows that the database returned.",
    ...verbs,
    "How long a put and a get take is compared with the first one that is not of this package, round by round.",
    rates,
    "Each session of one process searches three times, all at once.",
    many,
  ].join("\n\n");
}

const GROWTH_START = "<!-- growth -->";
const GROWTH_END = "<!-- /growth -->";

/** The page of the stores with its tables of growth. @param {string} page @param {Record<string, GrowthFigures>} figures */
export function withGrowth(page, figures) {
  const before = page.slice(0, page.indexOf(GROWTH_START) + GROWTH_START.length);
  return `${before}\n\n${growthTables(figures)}\n\n${page.slice(page.indexOf(GROWTH_END))}`;
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

/** Starts an object storage with the bucket `bench` in another process. @param {string} folder */
export async function startObjectServer(folder) {
  const child = fork(new URL("stores-process.mjs", import.meta.url), ["objects", folder]);
  const [endpoint] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (typeof endpoint !== "string") throw new Error(`the object storage ended with ${endpoint}`);
  return { endpoint, stop: () => child.disconnect() };
}
