import { BestFirst } from "./best-first.js";
import { sampleText } from "./sampled-text.js";
import { scanText, type Name, type Scan } from "./scan-text.js";

const LITTLE_WORTH = 0.6;
const SPARE_SHARE = 0.3;
const LEAST_ROOM = 12;

/** Names that stand in this part of a digest already need not be listed. */
export function markShown({ names }: Scan, shown: string): void {
  const hashes = new Set(scanText(sampleText(shown)).names.map(({ hash }) => hash));
  for (const name of names) if (hashes.has(name.hash)) name.worth = 0;
}

/** The names that are worth the most and not shown yet, each after the number of its line. */
export function listNames({ text, names }: Scan, budgetChars: number, isNumbered = true): string {
  const lead = isNumbered ? "Names by line: " : "Also in it: ";
  const best = new BestFirst(names, rankOf);
  const chosen: Name[] = [];
  let room = budgetChars - lead.length;
  // Names that are worth little are not worth much of the budget either.
  let spare = room * SPARE_SHARE;
  while (room > LEAST_ROOM) {
    const name = best.next();
    if (name === undefined) break;
    const cost = name.end - name.start + 3 + (isNumbered ? String(name.line.number).length : 0);
    if (cost > room) continue;
    if (name.worth < LITTLE_WORTH) {
      if (cost > spare) continue;
      spare -= cost;
    }
    room -= cost;
    chosen.push(name);
  }
  chosen.sort((a, b) => a.start - b.start);
  let out = "";
  let number = 0;
  for (const name of chosen) {
    const isNext = isNumbered && name.line.number !== number;
    number = name.line.number;
    out +=
      (out === "" ? "" : isNext ? "; " : isNumbered ? " " : ", ") +
      (isNext ? `${number} ` : "") +
      text.slice(name.start, name.end);
    name.worth = 0;
  }
  return out === "" ? "" : lead + out;
}

function rankOf({ start, end, worth }: Name): number {
  return worth / (end - start + 4);
}
