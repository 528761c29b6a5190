/**
 * What a writer puts under a number: the same for the same arguments; every third is what the other
 * writers put, too.
 *
 * @param {string} writer
 * @param {number} number
 * @param {number} seed
 */
export function contentOf(writer, number, seed) {
  const mixed = Math.imul(seed ^ (number * 2_654_435_761), 0x9e3779b1) >>> 0;
  const lines = mixed % 11 === 0 ? 4_000 : 1 + (mixed % 40);
  return `${number % 3 === 0 ? "all" : writer} ${number} 漢字 😀\r\n`.repeat(lines);
}
