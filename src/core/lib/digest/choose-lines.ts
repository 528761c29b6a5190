import { BestFirst } from "./best-first.js";
import type { Line } from "./scan-text.js";

/** So much is added to the length of a line, so that short ones are not preferred. */
const FIXED_COST = 20;

/**
 * The lines that show the most names for their length, within a budget: always the best one next,
 * where a name counts only until it is shown. The names of chosen lines get a worth of 0.
 */
export function chooseLines(candidates: readonly Line[], budgetChars: number): Line[] {
  const best = new BestFirst(candidates, scoreOf);
  const chosen: Line[] = [];
  let left = budgetChars;
  while (left > MIN_COST) {
    const line = best.next();
    if (line === undefined) break;
    if (line.cost > left) continue;
    left -= line.cost;
    chosen.push(line);
    for (const name of line.names) name.worth = 0;
  }
  return chosen;
}

const MIN_COST = 8;

/** A name that a line has twice counts twice, which does not matter. */
function scoreOf({ names, cost, bonus }: Line): number {
  let worth = bonus;
  for (const name of names) worth += name.worth;
  return worth / (cost + FIXED_COST);
}
