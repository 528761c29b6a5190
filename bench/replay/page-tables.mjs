/**
 * The tables of docs/replay.md, from the figures of the last run. Prints them, or puts them into the page:
 *
 *   node bench/replay/page-tables.mjs [--write]
 */
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

/**
 * @typedef {import("./report.mjs").Report} Report
 * @typedef {import("./report.mjs").SystemFigures} SystemFigures
 * @typedef {Record<string, SystemFigures[]>} Variants
 * @typedef {string[][]} Rows
 */

const SYSTEMS = {
  everything: "sending everything",
  ours: "**context-offload**",
  bare: "our tools, a bare reference",
  oracle: "our tools, a digest that knew the future",
  strands: "Strands, its defaults",
  "deepagents:1000": "deepagents from 1,000 tokens on",
  deepagents: "deepagents, its default of 20,000",
  "context-chef": "context-chef, its defaults",
  "langchain-clearing": "LangChain's clearing, its defaults",
  "ai-sdk-pruning": "AI SDK's pruning, as documented",
};
const ASSUMPTIONS = {
  cold: "a pause of five minutes empties the cache (`--cold`)",
  strict: "lines that are repeated word by word are facts, too (`--strict`)",
  page: "the reader always reads from the start (`--reader page`)",
  strictPage: "the last two together",
  strictTogether: "`--strict`, and one request for all that is missing (`--together`)",
};
const POLICIES = {
  ours: "the default, from 400 tokens on",
  "ours:minTokens=500": "from 500 tokens on",
  "ours:minTokens=1000": "from 1,000 tokens on",
  "ours:minTokens=400": "the default, and all errors are kept",
  "ours:errors=400": "the default, and errors from 400 tokens on are offloaded, too",
  "ours:afterTurns=1": "`all(minTokens(1_000), afterTurns(1), keepErrors)`",
  "ours:cacheAware=3": "`all(minTokens(1_000), keepRecent(3), cacheAware(), keepErrors)`",
  "ours:keepRecent=3": "`all(minTokens(1_000), keepRecent(3), keepErrors)`",
  "ours:tokenBudget=100000": "`all(tokenBudget({ maxTokens: 100_000 }), keepErrors)`",
};

const READS = {
  "ours:forgetReads=0": "never (`forgetReads: false`)",
  "ours:forgetReads=3": "after three replies",
  ours: "the default: after two, from 4,000 characters on",
  "ours:forgetReads=1,forgetChars=400": "after one, from 400 on",
};

/** The sources that are left out where eight are meant: their results are text, or they are few. */
const NOT_OF_EIGHT = ["react-webdancer", "swe-agent-smith", "text-mini-swe-agent"];

/** @param {Report} report @returns {Rows} */
export function systemRows({ systems }) {
  return systems.map(({ system, mean, plainMean, total }) => [
    nameIn(SYSTEMS, system),
    mean.toFixed(3),
    plainMean.toFixed(3),
    count(total.readBacks),
    total.readBacks === 0 ? "-" : count(Math.round(total.readTokens / total.readBacks)),
    readTurns(total),
    count(total.lost),
  ]);
}

/** @param {Report} report @returns {Rows} */
export function sourceRows({ sources, systems }) {
  return sources.map(({ name, conversations }) => [
    name,
    String(conversations),
    ...systems.slice(1).map(({ bySource }) => bySource[name]?.toFixed(3) ?? "-"),
  ]);
}

/** @param {Report} report @param {Variants} variants @returns {Rows} */
export function assumptionRows(report, variants) {
  const named = Object.entries(ASSUMPTIONS).flatMap(([key, title]) => {
    const systems = variants[key];
    return systems ? [/** @type {const} */ ([title, systems])] : [];
  });
  return [/** @type {const} */ (["as above", report.systems]), ...named].map(([title, systems]) => {
    const [ours, bare] = [figuresOf(systems, "ours"), figuresOf(systems, "bare")];
    return [
      title,
      ours.mean.toFixed(3),
      meanOfEight(ours).toFixed(3),
      bare.mean.toFixed(3),
      readTurns(ours.total),
    ];
  });
}

/** @param {Variants} variants @returns {Rows} */
export function policyRows({ policies = [] }) {
  return Object.entries(POLICIES).map(([system, title]) => {
    const { mean, plainMean, total } = figuresOf(policies, system);
    return [title, mean.toFixed(3), plainMean.toFixed(3), readTurns(total)];
  });
}

/** When answers of the reading tools go again, on eight sources; none if it was not run. @param {Variants} variants @returns {Rows} */
export function readRows({ policies = [], strict = [], strictPage = [] }) {
  const runs = [policies, strict, strictPage];
  const isRun = runs.every((run) => run.some(({ system }) => system === "ours:forgetReads=0"));
  if (!isRun) return [];
  return Object.entries(READS).map(([system, title]) => [
    title,
    ...runs.map((run) => meanOfEight(figuresOf(run, system)).toFixed(3)),
  ]);
}

/** @param {SystemFigures} figures */
export function meanOfEight({ bySource }) {
  const prices = Object.entries(bySource).flatMap(([name, price]) =>
    NOT_OF_EIGHT.includes(name) ? [] : [price],
  );
  return prices.reduce((sum, price) => sum + price, 0) / prices.length;
}

export async function readFigures() {
  const read = async (/** @type {string} */ name) =>
    JSON.parse(await readFile(new URL(name, import.meta.url), "utf8"));
  return {
    report: /** @type {Report} */ (await read("results.json")),
    variants: /** @type {Variants} */ (await read("variants.json")),
  };
}

/**
 * @param {readonly SystemFigures[]} systems
 * @param {string} name
 */
function figuresOf(systems, name) {
  const found = systems.find(({ system }) => system === name);
  if (!found) throw new Error(`There are no figures of ${name}; run the replay again`);
  return found;
}

/** @param {Record<string, string>} names @param {string} key */
function nameIn(names, key) {
  return names[key] ?? key;
}

/** @param {import("./replay.mjs").Outcome} total */
function readTurns(total) {
  return `${((100 * total.readTurns) / total.turns).toFixed(1)} %`;
}

/** @param {number} value */
function count(value) {
  return value.toLocaleString("en-US");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { report, variants } = await readFigures();
  const tables = {
    system: systemRows(report),
    source: sourceRows(report),
    assumption: assumptionRows(report, variants),
    policy: policyRows(variants),
    "answers are replaced": readRows(variants),
  };
  const file = new URL("../../docs/replay.md", import.meta.url);
  let page = await readFile(file, "utf8");
  for (const [title, rows] of Object.entries(tables)) {
    const text = rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
    console.log(`${text}\n`);
    if (rows.length > 0) page = fillTable(page, title, text);
  }
  if (process.argv.includes("--write")) await writeFile(file, page);
}

/**
 * A page with other rows in the table whose first column has this title.
 *
 * @param {string} page
 * @param {string} title
 * @param {string} rows
 */
function fillTable(page, title, rows) {
  const lines = page.split("\n");
  const head = lines.findIndex((line) => line.startsWith(`| ${title} `));
  if (head === -1) throw new Error(`There is no table of ${title}`);
  const length = lines.slice(head + 2).findIndex((line) => !line.startsWith("|"));
  return [...lines.slice(0, head + 2), rows, ...lines.slice(head + 2 + length)].join("\n");
}
