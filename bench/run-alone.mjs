import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderTable } from "./render-table.mjs";

/**
 * Runs a benchmark whose file was started by itself, with a folder of its own, and prints its rows.
 *
 * @param {string} url of its module
 * @param {(folder: string) => Promise<readonly import("./run.mjs").Row[]>} bench
 */
export async function runAlone(url, bench) {
  if (process.argv[1] !== fileURLToPath(url)) return;
  const folder = await mkdtemp(join(tmpdir(), "context-offload-bench-"));
  try {
    const rows = await bench(folder);
    console.log(renderTable(rows));
    const isMissed = rows.some(
      ({ ours, theirs, limit }) => limit !== null && ours / theirs > limit,
    );
    if (isMissed) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
