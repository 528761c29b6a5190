import { UnknownFormatError, type FormatMismatch } from "context-offload/errors";
import { explainError } from "../command-error.js";
import { harmless } from "../terminal/colors.js";
import { renderTable } from "../terminal/table.js";

export const EXPECTED =
  "pass an array of messages, an object that has one, or the log of a coding agent, as JSON or JSONL";

/**
 * Why a text is not taken: what was seen in it, and each format that was tried, nearest first. The
 * library's own advice, such as to pass your own format, is of no use at a command line.
 */
export function explainRefusal(error: unknown): string {
  if (!(error instanceof UnknownFormatError)) return `${explainError(error).text}; ${EXPECTED}`;
  const { mismatches } = error;
  const near = mismatches.filter(({ isNear }) => isNear);
  const far = mismatches.filter(({ isNear }) => !isNear);
  const [nearest] = near;
  const headline =
    seenIn(error.message) ??
    (nearest
      ? `no format fits these messages, the nearest is ${nearest.format}; convert them to one of these`
      : `no format fits even one of these messages; ${EXPECTED}`);
  const between = near.length > 0 && far.length > 0 ? ["These do not fit a single message:"] : [];
  return [headline, ...linesOf(near), ...between, ...linesOf(far)].join("\n");
}

/** What the library saw instead of messages, with what to do about it here. */
function seenIn(message: string): string | undefined {
  const [, first = "", rest = ""] =
    /^This is not a conversation that can be offloaded\. (.)(.*?)\.?$/s.exec(message) ?? [];
  if (first === "") return undefined;
  const seen = `not a conversation that can be offloaded: ${first.toLowerCase()}${rest}`;
  const [several = ""] = seen.split(": parse ");
  if (several !== seen) return `${several}; put each into its own file`;
  // The others say what was expected, or are about what can be done in no other way.
  return rest.startsWith("o line") ? `${seen}; ${EXPECTED}` : seen;
}

function linesOf(mismatches: readonly FormatMismatch[]): string[] {
  const rows = mismatches.map(({ format, why }) => [`  ${format}`, harmless(why)]);
  return renderTable([{ title: "" }, { title: "" }], rows)
    .split("\n")
    .slice(1);
}
