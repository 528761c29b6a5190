import type { Name, Scan } from "./scan-text.js";

const LEAD = "Names by line: ";

/** The names that are worth the most and not shown yet, each after the number of its line. */
export function listNames({ text, names }: Scan, budgetChars: number): string {
  const left = names.filter(({ worth }) => worth > 0);
  left.sort((a, b) => rankOf(b) - rankOf(a));
  const chosen: Name[] = [];
  let room = budgetChars - LEAD.length;
  for (const name of left) {
    const cost = name.end - name.start + 2 + String(name.line.number).length;
    if (cost > room) continue;
    room -= cost;
    chosen.push(name);
    if (room < 8) break;
  }
  chosen.sort((a, b) => a.start - b.start);
  let out = "";
  let number = 0;
  for (const name of chosen) {
    const isNext = name.line.number !== number;
    number = name.line.number;
    out += (out === "" ? "" : isNext ? "; " : " ") + (isNext ? `${number} ` : "") + text.slice(name.start, name.end);
    name.worth = 0;
  }
  return out === "" ? "" : LEAD + out;
}

function rankOf({ start, end, worth }: Name): number {
  return worth / (end - start + 4);
}
