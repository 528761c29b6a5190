/**
 * Replays recorded conversations under each system and prints what they cost: npm run replay -- <folders or files…>
 *
 *   --systems a,b     everything, ours, bare, oracle, strands, …; several settings of ours, as
 *                     ours:giantTokens=8000,afterTurns=2, are separated by blanks
 *   --policy p=n,…    ours with each of these settings instead of its default, such as keepRecent=3
 *   --digest n,…      ours with digests of at most so many characters
 *   --read-backs from:share:part,…   how the live reader reads back what is hidden when it arrives:
 *                     results from so many tokens on, the share of them, the part of their text
 *   --distrust        what a reference shows counts for nothing
 *   --strict          lines that are repeated word by word are facts, too
 *   --known           names that every model knows are not facts
 *   --reader search|page   how the reader looks for a fact
 *   --together        the reader makes its calls for several results in one request
 *   --context n       the reader asks for n lines around a match; default 2
 *   --cold            the prompt cache is cold after a pause of five minutes
 *   --jobs n          threads; default: one for each processor, at most 4
 *   --json            print JSON; --out <file> writes it to a file
 *   --write           put the figures into bench/replay.json, docs/replay.md and docs/images/replay.svg
 */
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  createReport,
  DEFAULT_SETTINGS,
  DEFAULT_SYSTEMS,
  findSources,
  peersIn,
  renderPicture,
  renderReport,
  replaySources,
  systemNamed,
} from "@context-offload/replay";
import { format, resolveConfig } from "prettier";
import { installPeers, PEERS } from "./harness.mjs";

/** @import { Settings, SystemFigures } from "@context-offload/replay" */

const FIVE_MINUTES_MS = 300_000;

/** What else could be assumed, for docs/replay.md. @type {Record<string, Partial<Settings>>} */
const ASSUMPTIONS = {
  "what a reference shows counts for nothing (`--distrust`)": { distrust: true },
  "lines that are repeated word by word are facts, too (`--strict`)": { strict: true },
  "the reader always reads from the start (`--reader page`)": { reader: "page" },
  "all that is missing is looked for in one request (`--together`)": { together: true },
  "a pause of five minutes empties the cache (`--cold`)": { coldAfterMs: FIVE_MINUTES_MS },
  "twice as much of a giant is read back (`--read-backs`)": {
    readBacks: DEFAULT_SETTINGS.readBacks.map((band) => ({
      ...band,
      part: Math.min(1, 2 * band.part),
    })),
  },
};

/** How docs/replay.md calls the systems. @type {Record<string, string>} */
const TITLES = {
  everything: "sending everything",
  ours: "**context-offload**",
  bare: "the same without a digest",
  oracle: "the same with a digest that knew the future",
  "ours:arrival=400": "the default before: from 400 tokens, at arrival",
  strands: "Strands, at arrival",
  "deepagents:1000": "deepagents from 1,000 tokens on, at arrival",
  deepagents: "deepagents, at arrival",
  "context-chef": "context-chef, at arrival",
  "gemini-masking": "gemini-cli's masking of old results",
  "langchain-clearing": "LangChain's clearing of old results",
  "ai-sdk-pruning": "AI SDK's pruning of old results",
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    systems: { type: "string" },
    policy: { type: "string" },
    digest: { type: "string" },
    "read-backs": { type: "string" },
    distrust: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
    known: { type: "boolean", default: false },
    reader: { type: "string", default: "search" },
    together: { type: "boolean", default: false },
    context: { type: "string" },
    cold: { type: "boolean", default: false },
    jobs: { type: "string" },
    json: { type: "boolean", default: false },
    out: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
if (positionals.length === 0 || !["search", "page"].includes(values.reader)) {
  console.error("Usage: npm run replay -- <folders or files…>; see the head of bench/replay.mjs");
  process.exit(2);
}

const systems = chooseSystems();
for (const name of systems) systemNamed(name, peersIn(PEERS));
const settings = {
  ...DEFAULT_SETTINGS,
  distrust: values.distrust,
  strict: values.strict,
  known: values.known,
  reader: /** @type {"search" | "page"} */ (values.reader),
  together: values.together,
  readBacks: parseReadBacks(values["read-backs"]) ?? DEFAULT_SETTINGS.readBacks,
  contextLines: Number(values.context ?? DEFAULT_SETTINGS.contextLines),
  coldAfterMs: values.cold ? FIVE_MINUTES_MS : undefined,
};
await installPeers();
const sources = await findSources(positionals);
const report = await measure(systems, settings);
const json = `${JSON.stringify(report, null, 2)}\n`;
console.log(values.json ? json : renderReport(report));
if (values.out !== undefined) await writeFile(values.out, json);
if (values.write) {
  /** @type {Record<string, Pick<SystemFigures, "live" | "names">>} */
  const assumptions = {};
  for (const [title, other] of Object.entries(ASSUMPTIONS)) {
    const { systems: both } = await measure(["everything", "ours"], { ...settings, ...other });
    if (both[1]) assumptions[title] = { live: both[1].live, names: both[1].names };
  }
  await write("replay.json", JSON.stringify({ ...report, assumptions }));
  await write("../docs/images/replay.svg", renderPicture(report));
  const page = await readFile(new URL("../docs/replay.md", import.meta.url), "utf8");
  const filled = Object.entries(tables(assumptions)).reduce(
    (text, [title, rows]) => fillTable(text, title, rows),
    page,
  );
  await write("../docs/replay.md", filled);
}

/**
 * @param {readonly string[]} names
 * @param {Settings} assumed
 */
async function measure(names, assumed) {
  const figures = await replaySources(sources, {
    systems: names,
    settings: assumed,
    peers: PEERS,
    jobs: Number(values.jobs ?? Math.min(4, availableParallelism())),
    onProgress: (done, of) => {
      const isShown = process.stderr.isTTY || done % 20 === 0 || done === of;
      const end = process.stderr.isTTY && done < of ? "\r" : "\n";
      if (isShown) process.stderr.write(`${done} of ${of} files${end}`);
    },
  });
  return createReport(figures, names, assumed);
}

/**
 * Writes a file as the format check wants it.
 *
 * @param {string} path
 * @param {string} text
 */
async function write(path, text) {
  const url = new URL(path, import.meta.url);
  const filepath = fileURLToPath(url);
  const isKnown = !path.endsWith(".svg");
  const options = { ...(await resolveConfig(filepath)), filepath };
  await writeFile(url, isKnown ? await format(text, options) : text);
}

/** @param {string | undefined} text */
function parseReadBacks(text) {
  return text?.split(",").map((band) => {
    const [fromTokens = NaN, share = NaN, part = NaN] = band.split(":").map(Number);
    if (!(fromTokens >= 0 && share >= 0 && part > 0)) {
      throw new Error(`${JSON.stringify(band)} is not from:share:part`);
    }
    return { fromTokens, share, part };
  });
}

/** Sending everything comes first, since all others are compared with it. */
function chooseSystems() {
  const policies = (values.policy ?? "").split(",").filter(Boolean);
  const digests = (values.digest ?? "").split(",").filter(Boolean);
  const variants =
    digests.length === 0
      ? policies.map((policy) => `ours:${policy}`)
      : digests.flatMap((digest) =>
          (policies.length === 0 ? [""] : policies).map((policy) =>
            policy === "" ? `ours:digest=${digest}` : `ours:${policy},digest=${digest}`,
          ),
        );
  const isDefault = values.systems === undefined && variants.length === 0;
  const chosen = isDefault ? DEFAULT_SYSTEMS : splitSystems(values.systems ?? "ours");
  return [...new Set(["everything", ...chosen, ...variants])];
}

/**
 * By blanks, or else by commas, which also stand between the settings of one system.
 *
 * @param {string} text
 */
function splitSystems(text) {
  return text.split(text.includes(" ") || text.includes("=") ? /\s+/ : ",").filter(Boolean);
}

/**
 * The rows of each table of docs/replay.md, by the title of its first column.
 *
 * @param {Record<string, Pick<SystemFigures, "live" | "names">>} assumptions
 */
function tables(assumptions) {
  const ratio = (/** @type {number | undefined} */ value) => value?.toFixed(3) ?? "-";
  const count = (/** @type {number} */ value) => value.toLocaleString("en-US");
  const titleOf = (/** @type {string} */ system) => TITLES[system] ?? system;
  const { systems: all } = report;
  const ours = all.find(({ system }) => system === "ours");
  const under = { ...(ours && { "as above": ours }), ...assumptions };
  return {
    assumption: Object.entries(under).map(([title, { live, names }]) => [
      title,
      ...[live.mean, live.plainMean, live.worst?.ratio].map(ratio),
      count(live.conversationsAbove),
      ratio(names.mean),
    ]),
    system: all.map(({ system, live, names }) => [
      titleOf(system),
      ...[live.mean, live.plainMean, live.billMean, names.mean, names.plainMean].map(ratio),
      count(live.total.lost),
    ]),
    "system by length": all.map(({ system, live }) => [
      titleOf(system),
      ...live.byLength.map(ratio),
      ratio(live.worst?.ratio),
      count(live.conversationsAbove),
      count(live.sourcesAbove),
    ]),
    "system and its reads": all.map(({ system, live: { total } }) => [
      titleOf(system),
      count(total.readsAtArrival),
      count(total.readBacks - total.readsAtArrival),
      total.readBacks === 0 ? "-" : count(Math.round(total.readTokens / total.readBacks)),
      `${((100 * total.readTurns) / total.turns).toFixed(1)} %`,
    ]),
    source: report.sources.map(({ name, conversations }) => [
      name,
      String(conversations),
      ...all.slice(1).map(({ live }) => ratio(live.bySource[name])),
    ]),
  };
}

/**
 * A page with other rows in the table whose first column has this title.
 *
 * @param {string} page
 * @param {string} title
 * @param {readonly (readonly string[])[]} rows
 */
function fillTable(page, title, rows) {
  const lines = page.split("\n");
  const head = lines.findIndex((line) => line.split("|")[1]?.trim() === title);
  if (head === -1) throw new Error(`docs/replay.md has no table of ${title}`);
  const length = lines.slice(head + 2).findIndex((line) => !line.startsWith("|"));
  const text = rows.map((row) => `| ${row.join(" | ")} |`);
  return [...lines.slice(0, head + 2), ...text, ...lines.slice(head + 2 + length)].join("\n");
}
