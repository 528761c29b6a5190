/**
 * Measures each of the ways, run in turn, so that a busy moment of the machine affects all alike. A
 * way may return a function that cleans up; that is not measured.
 */

/**
 * @param {Record<string, () => unknown>} ways
 * @param {{ rounds: number, warmUp?: number }} options
 * @returns {Promise<Record<string, number>>} the median of each, in milliseconds
 */
export async function measure(ways, { rounds, warmUp = Math.ceil(rounds / 5) }) {
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const start = performance.now();
      const cleanUp = await way();
      const took = performance.now() - start;
      if (typeof cleanUp === "function") await cleanUp();
      if (round >= 0) times[name]?.push(took);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, took]) => [name, median(took)]));
}

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
