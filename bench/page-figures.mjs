import { renderTable } from "./render-table.mjs";

const START = "<!-- bench:start -->";
const END = "<!-- bench:end -->";

/**
 * @typedef {object} Results
 * @property {string} node
 * @property {number} readerPeakMb
 * @property {number} queryGrowthMb
 * @property {{ small: number, large: number }} skippedPassBytes
 * @property {{ megabytes: number, peakMb: number }} [run]
 * @property {import("./run.mjs").Row[]} rows
 */

/**
 * The performance page with the figures of a run inserted.
 *
 * @param {string} page
 * @param {Results} results
 */
export function withFigures(page, results) {
  const before = page.slice(0, page.indexOf(START) + START.length);
  const after = page.slice(page.indexOf(END));
  return `${before}\n\n${renderFigures(results)}\n\n${after}`;
}

/** @param {Results} results */
export function renderFigures({ node, rows, readerPeakMb, queryGrowthMb, skippedPassBytes, run }) {
  const stream = run
    ? `\`context-offload run\` peaks at ${run.peakMb} MB for a session of ${run.megabytes} MB in lines. `
    : "";
  return [
    renderTable(rows),
    "",
    `Medians of one run on Node ${node.slice(1)} and two cores; \`npm run bench\` prints yours. ` +
      `A process that only reads an artifact of 1 GB peaks at ${readerPeakMb} MB. ` +
      stream +
      `One pointer out of 36 MB of JSON takes at most ${queryGrowthMb} MB, however the JSON is stored. ` +
      `A history pass that is skipped allocates no more for 100 kB a message ` +
      `(${group(skippedPassBytes.large)} bytes for 1,000 messages) than for 1 kB (${group(skippedPassBytes.small)} bytes).`,
  ].join("\n");
}

/** @param {number} count */
function group(count) {
  return count.toLocaleString("en-US");
}
