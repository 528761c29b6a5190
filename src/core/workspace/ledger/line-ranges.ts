import { DEFAULTS } from "../../defaults.js";
import type { Reading } from "../reading/reading.js";

/** Lines of a result, from 1, both ends included. */
export type LineRange = readonly [from: number, to: number];

/** The lines that an answer shows, as far as it numbers them: what is read by characters or pointers does not. */
export function linesOf({ range, text }: Partial<Pick<Reading, "range" | "text">>): LineRange[] {
  if (range?.unit === "lines" && range.from > 0) return [[range.from, range.to]];
  if (range?.unit !== "matches" || text === undefined) return [];
  const numbers = [...text.matchAll(/^(\d{1,15})[:-]/gm)].map(([, number]) => Number(number));
  return joinRanges(numbers.filter((line) => line > 0).map((line) => [line, line]));
}

/** All of these lines, in order; of very many ranges, the longest ones. */
export function joinRanges(ranges: readonly LineRange[]): LineRange[] {
  const joined: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(byStart)) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  if (joined.length <= DEFAULTS.ledgerRanges) return joined;
  return joined
    .sort((one, other) => other[1] - other[0] - (one[1] - one[0]) || byStart(one, other))
    .slice(0, DEFAULTS.ledgerRanges)
    .sort(byStart);
}

function byStart(one: LineRange, other: LineRange): number {
  return one[0] - other[0];
}
