import { firstLines, lastLines, type Line, type SampledText } from "./line-scanner.js";
import { clip, countOf, formatCount, quoteLine } from "./printable.js";

/** A gap line with a large count fits into this. */
const GAP_CHARS = 36;
/** Minimum length of a quoted line. */
const LEAST_CHARS = 5;

export interface Ends {
  readonly head: readonly string[];
  /** A line about what was left out in between, or "" if everything is shown. */
  readonly gap: string;
  readonly tail: readonly string[];
  /** Numbers of the lines that are quoted. */
  readonly shown: ReadonlySet<number>;
}

export interface EndsOptions {
  readonly budgetChars: number;
  /** The share of the budget for the first lines. */
  readonly headShare: number;
}

/** The first and last lines with their numbers; blank lines are skipped. */
export function quoteEnds(sampled: SampledText, options: EndsOptions): Ends {
  const { budgetChars } = options;
  const most = Math.max(8, Math.ceil(budgetChars / LEAST_CHARS));
  const first = firstLines(sampled, most);
  const width = lineWidth(first, sampled, budgetChars);
  const head: string[] = [];
  const tail: string[] = [];
  const shown = new Set<number>();
  let used = GAP_CHARS;
  const take = (line: Line, into: string[], limit: number): boolean => {
    const quoted = quoteLine(line, width);
    if (used + quoted.length + 1 > limit) return false;
    used += quoted.length + 1;
    into.push(quoted);
    shown.add(line.number);
    return true;
  };
  let next = 0;
  const takeHead = (limit: number, before: number): void => {
    for (let line = first[next]; line !== undefined; line = first[next]) {
      if (line.number >= before || !take(line, head, limit)) return;
      next += 1;
    }
  };
  takeHead(GAP_CHARS + (budgetChars - GAP_CHARS) * options.headShare, Infinity);
  const headEnd = next === 0 ? 0 : (first[next - 1]?.number ?? 0);
  let tailStart = Infinity;
  const fromEnd = lastLines(sampled, most).reverse();
  for (const line of fromEnd) {
    if (line.number <= headEnd || !take(line, tail, budgetChars)) break;
    tailStart = line.number;
  }
  // The head gets what the tail did not need.
  takeHead(budgetChars, tailStart);
  return {
    head,
    gap: gapBetween(first, next, tailStart, fromEnd, sampled),
    tail: tail.reverse(),
    shown,
  };
}

function gapBetween(
  first: readonly Line[],
  next: number,
  tailStart: number,
  fromEnd: readonly Line[],
  sampled: SampledText,
): string {
  const headEnd = next === 0 ? 0 : (first[next - 1]?.number ?? 0);
  const following = first[next]?.number ?? Infinity;
  const lastNumber = fromEnd[0]?.number ?? 0;
  // Only blank lines in between: nothing is left out.
  if (sampled.segments.length === 1 && following >= Math.min(tailStart, lastNumber + 1)) return "";
  const end = tailStart === Infinity ? sampled.lines + 1 : tailStart;
  const missing = end - headEnd - 1;
  return missing > 0 ? `… ${formatCount(missing)} more ${missing === 1 ? "line" : "lines"} …` : "";
}

function lineWidth(first: readonly Line[], sampled: SampledText, budgetChars: number): number {
  // A few long lines share the budget; many lines are cut so that several of them fit.
  const few = first.length <= 6 && sampled.lines <= 12 ? first.length : 6;
  const share = Math.floor((budgetChars - GAP_CHARS) / Math.max(1, few)) - 8;
  const least = Math.max(24, Math.min(100, Math.floor(budgetChars / 4)));
  return Math.max(least, few === 1 ? share : Math.min(share, 400));
}

/** The first and last lines, for text without a known structure. */
export function headTailDigest(sampled: SampledText, budgetChars: number): string {
  const title = `Text, ${countOf(sampled.lines, "line")}.`;
  const budget = budgetChars - title.length - 1;
  const ends = quoteEnds(sampled, { budgetChars: budget, headShare: 0.6 });
  const body = [...ends.head, ...(ends.gap === "" ? [] : [ends.gap]), ...ends.tail];
  return clip([title, ...body].join("\n"), budgetChars);
}
