/**
 * How often a tokenizer cuts between two letters, in tenths: the row is the first letter, the column
 * the second, a to z. Pairs that are common in words are low, pairs in ids and hashes are high, which
 * distinguishes `checkpoint` from `xqzfkwbd` without a vocabulary. Measured on mixed tool output.
 */
const CUT_TENTHS = [
  "30005203231000506000202102",
  "23451645257055158124277517",
  "14130460271045146130257636",
  "22521455156456257314246436",
  "23102224474100533000532025",
  "25452147185154158131365338",
  "33661731279142269124256738",
  "25650766276455246341465634",
  "11000004431000004000606160",
  "35651778545574247626376979",
  "45761834384553479535454939",
  "25510557275155149622247719",
  "11631656265215215513355529",
  "25101304342452259610237525",
  "30106113331000208010010237",
  "16441531373035117111256439",
  "66577998699166863354088889",
  "25210426282322056210326608",
  "36251641272336224610244736",
  "27251570176446149012254316",
  "31111315152000708000644243",
  "16450757195546258355556768",
  "25631661386652259224763449",
  "55454698399567729762889347",
  "57463959696332429424796745",
  "37851764397974489775494533",
];

/** Indexed by the low five bits of both letters, so that case does not matter. */
const CUT_CHANCE = buildCutChances();

/** The chance, 0 to 1, that a token ends between two ASCII letters. */
export function cutChance(first: number, second: number): number {
  return CUT_CHANCE[((first & 31) << 5) | (second & 31)] ?? 0;
}

function buildCutChances(): Float64Array {
  const chances = new Float64Array(1024);
  CUT_TENTHS.forEach((row, first) => {
    for (let second = 0; second < row.length; second++) {
      chances[((first + 1) << 5) | (second + 1)] = Number(row.charAt(second)) / 10;
    }
  });
  return chances;
}
