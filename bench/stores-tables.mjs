/**
 * @typedef {{ putsPerSecond: number, diskPerPut: number, firstReadMs: number, readMs: number }} Figures
 * @typedef {Record<string, { count: number, p50: number, p99: number }>} Listings
 */

/** The tables that docs/stores.md quotes. @param {Record<string, Figures>} results */
export function storesTable(results) {
  return table(
    "store | puts per second of 10 kB, four processes | 100 lines of 50 MB | the first read | disk for 10 kB",
    Object.entries(results).map(([name, { putsPerSecond, readMs, firstReadMs, diskPerPut }]) => [
      name,
      putsPerSecond.toLocaleString("en"),
      `${readMs} ms`,
      `${Math.round(firstReadMs).toLocaleString("en")} ms`,
      `${(diskPerPut / 1_000).toFixed(1)} kB`,
    ]),
  );
}

/** @param {Record<string, Listings>} listings */
export function listingTable(listings) {
  return table(
    "store | 10,000 artifacts, median | 99th percentile | 1,000,000 artifacts, median | 99th percentile",
    Object.entries(listings).map(([name, sizes]) => [
      name,
      ...Object.values(sizes).flatMap(({ p50, p99 }) => [`${p50} ms`, `${p99} ms`]),
    ]),
  );
}

/** @param {string} head @param {readonly (readonly string[])[]} rows */
function table(head, rows) {
  const titles = head.split(" | ");
  return [titles, titles.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** In milliseconds with two decimals. @param {readonly number[]} times @param {number} share */
export function percentile(times, share) {
  const sorted = [...times].sort((a, b) => a - b);
  return round(sorted[Math.min(Math.floor((sorted.length * share) / 100), sorted.length - 1)] ?? 0);
}

/** @param {number} ms */
export function round(ms) {
  return Math.round(ms * 100) / 100;
}
