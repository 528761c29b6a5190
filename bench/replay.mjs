/**
 * Replays recorded conversations under each system and prints what they cost: npm run replay -- <folders or files…>
 *
 *   --systems a,b     everything, ours, bare, oracle, strands, deepagents:1000, …; several settings of
 *                     ours as ours:minTokens=500,digest=600 are separated by blanks
 *   --policy p=n,…    ours with each of these policies instead of its default, such as keepRecent=3
 *   --digest n,…      ours with digests of at most so many characters
 *   --strict          lines that are repeated word by word are facts, too
 *   --known           names that every model knows are not facts
 *   --reader search|page   how the reader looks for a fact
 *   --together        the reader makes its calls for several results in one request
 *   --context n       the reader asks for n lines around a match
 *   --cold            the prompt cache is cold after a pause of five minutes
 *   --jobs n          threads; default: one for each processor, at most 4
 *   --json            print JSON; --out <file> writes it to a file
 *   --write           put the figures into bench/replay.json, docs/replay.md and docs/images/replay.svg
 */
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
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
import { installPeers, PEERS } from "./harness.mjs";

const FIVE_MINUTES_MS = 300_000;

/** How docs/replay.md calls the systems. @type {Record<string, string>} */
const TITLES = {
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

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    systems: { type: "string" },
    policy: { type: "string" },
    digest: { type: "string" },
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
  contextLines: values.context === undefined ? undefined : Number(values.context),
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
  await writeFile(new URL("replay.json", import.meta.url), json);
  await writeFile(new URL("../docs/images/replay.svg", import.meta.url), renderPicture(report));
  const file = new URL("../docs/replay.md", import.meta.url);
  const page = await readFile(file, "utf8");
  await writeFile(file, fillTable(fillTable(page, "system", systemRows()), "source", sourceRows()));
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

function systemRows() {
  const count = (/** @type {number} */ value) => value.toLocaleString("en-US");
  return report.systems.map(({ system, mean, plainMean, total }) => [
    TITLES[system] ?? system,
    mean.toFixed(3),
    plainMean.toFixed(3),
    count(total.readBacks),
    total.readBacks === 0 ? "-" : count(Math.round(total.readTokens / total.readBacks)),
    `${((100 * total.readTurns) / total.turns).toFixed(1)} %`,
    count(total.lost),
  ]);
}

function sourceRows() {
  return report.sources.map(({ name, conversations }) => [
    name,
    String(conversations),
    ...report.systems.slice(1).map(({ bySource }) => bySource[name]?.toFixed(3) ?? "-"),
  ]);
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
  const head = lines.findIndex((line) => line.startsWith(`| ${title} `));
  if (head === -1) throw new Error(`docs/replay.md has no table of ${title}`);
  const length = lines.slice(head + 2).findIndex((line) => !line.startsWith("|"));
  const text = rows.map((row) => `| ${row.join(" | ")} |`);
  return [...lines.slice(0, head + 2), ...text, ...lines.slice(head + 2 + length)].join("\n");
}
