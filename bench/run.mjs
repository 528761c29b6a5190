/**
 * All benchmarks, as the table and the sentences of docs/performance.md, or those that are named: npm run bench -- hook
 *
 *   --write   put the figures into bench/results.json and docs/performance.md
 *   --large   run the command on a session of 1 GB, which takes minutes
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchHook, benchRun, benchStatusLine } from "./command.mjs";
import { benchGateway } from "./gateway.mjs";
import { isMet, renderFigures, renderTable, withFigures } from "./harness.mjs";
import { allocationOfSkippedPass, benchOffloadTurn, benchRatioGate } from "./history.mjs";
import { benchImportTime } from "./import-time.mjs";
import { measureQueries, peakOfReader, peakOfRun } from "./memory.mjs";
import { benchFirstGrep, benchListing, benchWorkspaceRead } from "./reading.mjs";
import { benchArrival, benchOverlappingWrites } from "./writing.mjs";

/** In the order of the page. @type {Record<string, (folder: string) => Promise<import("./harness.mjs").Row[]>>} */
const BENCHMARKS = {
  // First, while nothing else has made the code that it runs more general.
  gate: benchRatioGate,
  arrival: benchArrival,
  writes: benchOverlappingWrites,
  reading: benchWorkspaceRead,
  "first-grep": benchFirstGrep,
  listing: benchListing,
  turns: benchOffloadTurn,
  import: benchImportTime,
  gateway: benchGateway,
  hook: benchHook,
  "status-line": benchStatusLine,
  run: (folder) => benchRun(folder, process.env["BENCH_CORPUS"]?.split(":")),
};

const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: "boolean", default: false },
    large: { type: "boolean", default: false },
  },
});
const unknown = named.filter((name) => name !== "memory" && !(name in BENCHMARKS));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")}: ${Object.keys(BENCHMARKS).join(", ")}, memory`);
  process.exit(2);
}
const isChosen = (/** @type {string} */ name) => named.length === 0 || named.includes(name);

const home = await mkdtemp(join(tmpdir(), "context-offload-bench-"));
try {
  const rows = [];
  for (const [name, bench] of Object.entries(BENCHMARKS)) {
    if (isChosen(name)) rows.push(...(await bench(await mkdtemp(join(home, `${name}-`)))));
  }
  const memory = isChosen("memory") ? await measureMemory() : undefined;
  const results = memory && { node: process.version, ...memory, rows };
  console.log(results ? renderFigures(results) : renderTable(rows));
  if (named.length > 0 && !rows.every(isMet)) process.exitCode = 1;
  if (values.write && results && named.length === 0) {
    const page = new URL("../docs/performance.md", import.meta.url);
    await writeFile(new URL("results.json", import.meta.url), JSON.stringify(results, null, 2));
    await writeFile(page, withFigures(await readFile(page, "utf8"), results));
  }
} finally {
  await rm(home, { recursive: true, force: true });
}

async function measureMemory() {
  const queries = await measureQueries(join(home, "queries"));
  return {
    readerPeakMb: await peakOfReader(home),
    queryGrowthMb: Math.max(...queries.map(({ growthMb }) => growthMb)),
    // As a stream, a gigabyte needs no more memory than this.
    run: await peakOfRun(join(home, "peak"), values.large ? 1_000 : 100),
    skippedPassBytes: await allocationOfSkippedPass(join(home, "gate")),
  };
}
