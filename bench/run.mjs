import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchArrival } from "./arrival.mjs";
import { benchFirstGrep } from "./first-grep.mjs";
import { benchGateway } from "./gateway.mjs";
import { benchHook } from "./hook.mjs";
import { benchImportTime } from "./import-time.mjs";
import { benchListing } from "./listing.mjs";
import { benchOffloadTurn } from "./offload-turn.mjs";
import { benchOverlappingWrites } from "./overlapping-writes.mjs";
import { allocationOfSkippedPass, benchRatioGate } from "./ratio-gate.mjs";
import { renderFigures, withFigures } from "./page-figures.mjs";
import { measureQueries } from "./query-memory.mjs";
import { peakOfReader } from "./reader-memory.mjs";
import { peakOfRun } from "./run-memory.mjs";
import { benchRun } from "./run-speed.mjs";
import { benchWorkspaceRead } from "./workspace-read.mjs";

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {string} against
 * @property {number} ours in milliseconds
 * @property {number} theirs in milliseconds
 * @property {string} aim
 * @property {number | null} limit the ratio that the aim allows; `null` when there is no aim
 */

const folder = await mkdtemp(join(tmpdir(), "context-offload-bench-"));
try {
  const rows = [
    // First, while nothing else has made the code that it runs more general.
    ...(await benchRatioGate(join(folder, "gate"))),
    ...(await benchArrival(join(folder, "arrival"))),
    ...(await benchOverlappingWrites(join(folder, "writes"))),
    ...(await benchWorkspaceRead(folder)),
    ...(await benchFirstGrep(folder)),
    ...(await benchListing(folder)),
    ...(await benchOffloadTurn(join(folder, "turns"))),
    ...(await benchImportTime(join(folder, "import"))),
    ...(await benchGateway(join(folder, "gateway"))),
    ...(await benchHook(join(folder, "hook"))),
    ...(await benchRun(join(folder, "run"), process.env["BENCH_CORPUS"]?.split(":"))),
  ];
  const results = {
    node: process.version,
    readerPeakMb: await peakOfReader(folder),
    queryGrowthMb: Math.max(
      ...(await measureQueries(join(folder, "queries"))).map(({ growthMb }) => growthMb),
    ),
    // A gigabyte takes minutes; as a stream, it needs no more memory than this.
    run: await peakOfRun(join(folder, "peak"), process.argv.includes("--large") ? 1_000 : 100),
    skippedPassBytes: await allocationOfSkippedPass(join(folder, "gate")),
    rows,
  };
  console.log(renderFigures(results));
  if (process.argv.includes("--write")) {
    const page = new URL("../docs/performance.md", import.meta.url);
    await writeFile(new URL("results.json", import.meta.url), JSON.stringify(results, null, 2));
    await writeFile(page, withFigures(await readFile(page, "utf8"), results));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
