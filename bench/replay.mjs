/**
 * Replays recorded conversations under each system and prints what they cost: npm run replay -- <folders or files…>
 *
 *   --systems a,b     everything, ours, bare, oracle, strands, …; several settings of ours, as
 *                     ours:giantTokens=8000,afterTurns=2, are separated by blanks
 *   --policy p=n,…    ours with each of these settings instead of its default, such as keepRecent=3
 *   --digest n,…      ours with digests of at most so many characters
 *   --read-backs from:share:part,…   how the live reader reads back what is hidden when it arrives:
 *                     results from so many tokens on, the share of them, the part of their text
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

const FIVE_MINUTES_MS = 300_000;

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
  strict: values.strict,
  known: values.known,
  reader: /** @type {"search" | "page"} */ (values.reader),
  together: values.together,
  readBacks: parseReadBacks(values["read-backs"]) ?? DEFAULT_SETTINGS.readBacks,
  contextLines: Number(values.context ?? DEFAULT_SETTINGS.contextLines),
  coldAfterMs: values.cold ? FIVE_MINUTES_MS : undefined,
};
await installPeers();
const figures = await replaySources(await findSources(positionals), {
  systems,
  settings,
  peers: PEERS,
  jobs: Number(values.jobs ?? Math.min(4, availableParallelism())),
  onProgress: (done, of) => {
    const isShown = process.stderr.isTTY || done % 20 === 0 || done === of;
    const end = process.stderr.isTTY && done < of ? "\r" : "\n";
    if (isShown) process.stderr.write(`${done} of ${of} files${end}`);
  },
});

const report = createReport(figures, systems, settings);
const json = `${JSON.stringify(report, null, 2)}\n`;
console.log(values.json ? json : renderReport(report));
if (values.out !== undefined) await writeFile(values.out, json);
if (values.write) {
  await write("replay.json", json);
  await write("../docs/images/replay.svg", renderPicture(report));
  const page = await readFile(new URL("../docs/replay.md", import.meta.url), "utf8");
  const filled = Object.entries(tables()).reduce(
    (text, [title, rows]) => fillTable(text, title, rows),
    page,
  );
  await write("../docs/replay.md", filled);
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

/** The rows of each table of docs/replay.md, by the title of its first column. */
function tables() {
  const ratio = (/** @type {number | undefined} */ value) => value?.toFixed(3) ?? "-";
  const count = (/** @type {number} */ value) => value.toLocaleString("en-US");
  const titleOf = (/** @type {string} */ system) => TITLES[system] ?? system;
  const { systems: all, sources } = report;
  return {
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
    source: sources.map(({ name, conversations }) => [
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
