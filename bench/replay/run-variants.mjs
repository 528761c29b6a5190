/**
 * Replays recorded conversations under other assumptions and other policies, and writes
 * bench/replay/variants.json, from which docs/replay.md has its further tables.
 *
 *   node bench/replay/run-variants.mjs <folders or files…>
 */
import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { findSources } from "./conversations.mjs";
import { DEFAULT_SETTINGS, replaySources } from "./replay-sources.mjs";
import { createReport } from "./report.mjs";

const BOUNDS = ["everything", "ours", "bare"];
const READS = ["ours:forgetReads=0", "ours:forgetReads=3", "ours:forgetReads=1,forgetChars=400"];
const POLICIES = [
  "everything",
  "ours",
  "ours:minTokens=500",
  "ours:minTokens=1000",
  "ours:minTokens=400",
  "ours:errors=400",
  ...READS,
  "ours:afterTurns=1",
  "ours:cacheAware=3",
  "ours:keepRecent=3",
  "ours:tokenBudget=100000",
];

/** @type {Record<string, { systems: string[], settings: Partial<import("./replay-sources.mjs").Settings> }>} */
const VARIANTS = {
  cold: { systems: BOUNDS, settings: { coldAfterMs: 300_000 } },
  strict: { systems: [...BOUNDS, ...READS], settings: { strict: true } },
  page: { systems: BOUNDS, settings: { reader: "page" } },
  strictPage: { systems: [...BOUNDS, ...READS], settings: { strict: true, reader: "page" } },
  strictTogether: { systems: BOUNDS, settings: { strict: true, together: true } },
  policies: { systems: POLICIES, settings: {} },
};

const sources = await findSources(process.argv.slice(2));
if (sources.length === 0) {
  console.error("Usage: node bench/replay/run-variants.mjs <folders or files…>");
  process.exit(2);
}
const jobs = Math.min(4, availableParallelism());
/** @type {Record<string, import("./report.mjs").SystemFigures[]>} */
const variants = {};
for (const [name, { systems, settings }] of Object.entries(VARIANTS)) {
  process.stderr.write(`${name}: ${systems.length} systems\n`);
  const all = { ...DEFAULT_SETTINGS, ...settings };
  const figures = await replaySources(sources, systems, all, { jobs });
  variants[name] = createReport(figures, systems, all).systems;
}
const file = new URL("variants.json", import.meta.url);
await writeFile(file, `${JSON.stringify(variants, null, 2)}\n`);
