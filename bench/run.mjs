import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchDirect } from "./direct.mjs";
import { benchListing } from "./listing.mjs";
import { benchOffloadTurn } from "./offload-turn.mjs";
import { benchOverlappingWrites } from "./overlapping-writes.mjs";
import { allocationOfSkippedPass, benchRatioGate } from "./ratio-gate.mjs";
import { renderTable } from "./render-table.mjs";
import { benchWorkspacePut } from "./workspace-put.mjs";
import { benchWorkspaceRead } from "./workspace-read.mjs";

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {string} against
 * @property {number} ours in milliseconds
 * @property {number} theirs in milliseconds
 * @property {string} aim
 * @property {number} limit the ratio that the aim allows
 */

const folder = await mkdtemp(join(tmpdir(), "context-offload-bench-"));
try {
  const rows = [
    ...(await benchDirect(join(folder, "direct"))),
    ...(await benchRatioGate(join(folder, "gate"))),
    ...(await benchOverlappingWrites(join(folder, "writes"))),
    ...(await benchWorkspacePut(join(folder, "put"))),
    ...(await benchWorkspaceRead(folder)),
    ...(await benchListing(folder)),
    ...(await benchOffloadTurn(join(folder, "turns"))),
  ];
  const allocation = await allocationOfSkippedPass(join(folder, "gate"));
  console.log(renderTable(rows));
  console.log(
    `\nA skipped pass over 1,000 messages allocates ${allocation.small} bytes with 1 kB a message ` +
      `and ${allocation.large} bytes with 100 kB a message.`,
  );
  if (process.argv.includes("--write")) {
    const results = { node: process.version, rows };
    await writeFile(
      new URL("results.json", import.meta.url),
      `${JSON.stringify(results, null, 2)}\n`,
    );
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
