import { findErrorLines, quoteErrorLines } from "./error-lines.js";
import { quoteEnds } from "./head-tail.js";
import type { SampledText } from "./line-scanner.js";
import { clip, countOf } from "./printable.js";

/** The share of the budget that error lines may take. */
const ERROR_SHARE = 0.5;
const HEAD_SHARE = 0.4;

/** First and last lines of a log or a command's output, and the errors between them. */
export function logDigest(sampled: SampledText, budgetChars: number): string {
  const title = `Log, ${countOf(sampled.lines, "line")}.`;
  const room = budgetChars - title.length - 1;
  const found = findErrorLines(sampled);
  const share = found.groups.length === 0 ? 1 : 1 - ERROR_SHARE;
  const narrow = quoteEnds(sampled, {
    budgetChars: Math.floor(room * share),
    headShare: HEAD_SHARE,
  });
  const narrowLength = lengthOf([...narrow.head, narrow.gap, ...narrow.tail]);
  const errors = quoteErrorLines(found, room - narrowLength, narrow.shown);
  // What the errors did not need goes to the first and last lines.
  const left = room - lengthOf(errors);
  const ends = quoteEnds(sampled, { budgetChars: left, headShare: HEAD_SHARE });
  // These may now show some of the errors already.
  const rest = room - lengthOf([...ends.head, ends.gap, ...ends.tail]);
  const between = [ends.gap, ...quoteErrorLines(found, rest, ends.shown)].filter(
    (line) => line !== "",
  );
  return clip([title, ...ends.head, ...between, ...ends.tail].join("\n"), budgetChars);
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
