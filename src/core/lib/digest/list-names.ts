import { BestFirst } from "./best-first.js";
import { sampleText } from "./sampled-text.js";
import { scanText, type Name, type Scan } from "./scan-text.js";

const LITTLE_WORTH = 0.6;
const SPARE_SHARE = 0.3;
const MIN_ROOM = 12;
/** A number stands for so many lines: one for each name would take half of the list's tokens. */
const LINES_PER_NUMBER = 10;

/** Names that stand in this part of a digest already need not be listed. */
export function markShown({ names }: Scan, shown: string): void {
  const hashes = new Set(scanText(sampleText(shown)).names.map(({ hash }) => hash));
  for (const name of names) if (hashes.has(name.hash)) name.worth = 0;
}

/** The names that are worth the most and not shown yet, after the number of the first line of each group. */
export function listNames({ text, names }: Scan, budgetChars: number, isNumbered = true): string {
  const lead = isNumbered ? "Names from line: " : "Also in it: ";
  const best = new BestFirst(names, rankOf);
  const chosen: Name[] = [];
  const groups = new Set<number>();
  let room = budgetChars - lead.length;
  // Names that are worth little are not worth much of the budget either.
  let spare = room * SPARE_SHARE;
  while (room > MIN_ROOM) {
    const name = best.next();
    if (name === undefined) break;
    const group = groupOf(name);
    const isFirst = isNumbered && !groups.has(group);
    const besides = isFirst ? String(name.line.number).length + 3 : isNumbered ? 1 : 2;
    const cost = name.end - name.start + besides;
    if (cost > room) continue;
    if (name.worth < LITTLE_WORTH) {
      if (cost > spare) continue;
      spare -= cost;
    }
    room -= cost;
    groups.add(group);
    chosen.push(name);
  }
  chosen.sort((a, b) => a.start - b.start);
  let out = "";
  let last = -1;
  for (const name of chosen) {
    const isNext = isNumbered && groupOf(name) !== last;
    last = groupOf(name);
    out +=
      (out === "" ? "" : isNext ? "; " : isNumbered ? " " : ", ") +
      (isNext ? `${name.line.number} ` : "") +
      text.slice(name.start, name.end);
    name.worth = 0;
  }
  return out === "" ? "" : lead + out;
}

function groupOf({ line }: Name): number {
  return Math.floor((line.number - 1) / LINES_PER_NUMBER);
}

function rankOf({ start, end, worth }: Name): number {
  return worth / (end - start + 4);
}
