/**
 * Replays recorded conversations under each system and prints what they cost.
 *
 *   node bench/replay/run.mjs <folders or files…> [options]
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
 *   --write           write bench/replay/results.json and docs/images/replay.svg
 */
import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { findSources } from "./conversations.mjs";
import { renderPicture } from "./picture.mjs";
import { DEFAULT_SETTINGS, replaySources } from "./replay-sources.mjs";
import { createReport, renderReport } from "./report.mjs";
import { DEFAULT_SYSTEMS, systemNamed } from "./systems/systems.mjs";

const FIVE_MINUTES_MS = 300_000;

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
  console.error("Usage: node bench/replay/run.mjs <folders or files…>; see the head of that file");
  process.exit(2);
}

const systems = chooseSystems();
systems.forEach(systemNamed);
const settings = {
  ...DEFAULT_SETTINGS,
  strict: values.strict,
  known: values.known,
  reader: /** @type {"search" | "page"} */ (values.reader),
  together: values.together,
  contextLines: values.context === undefined ? undefined : Number(values.context),
  coldAfterMs: values.cold ? FIVE_MINUTES_MS : undefined,
};
const sources = await findSources(positionals);
const figures = await replaySources(sources, systems, settings, {
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
  await writeFile(new URL("results.json", import.meta.url), json);
  const picture = new URL("../../docs/images/replay.svg", import.meta.url);
  await writeFile(picture, renderPicture(report));
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
