import type { ResultFigures, ToolFigures } from "context-offload/ledger";
import { countOf, formatCount } from "../terminal/table.js";
import type { Mood } from "./page-types.js";

/** What became of one result, in a few words. */
export function verdictOnResult(figures: ResultFigures | undefined): {
  readonly verdict: string;
  readonly mood: Mood;
} {
  if (!figures) return { verdict: "not in the ledger", mood: "plain" };
  const { reads, readShare, isReadInFull, net } = figures;
  if (isReadInFull) return { verdict: "read back in full", mood: "bad" };
  if (net < 0) return { verdict: "cost more than it saved", mood: "bad" };
  if (reads === 0) return { verdict: "never read", mood: "good" };
  const share = Math.round(100 * readShare);
  return { verdict: share === 0 ? "read, under 1 %" : `${share} % read`, mood: "good" };
}

/** What the results of a tool brought, and what to do about it. */
export function verdictOnTool(tool: ToolFigures): string {
  const { verdict, results } = tool;
  if (verdict === "too few") return `${countOf(results, "result")}: too few to tell`;
  return verdict === "pays" ? "pays" : `${whyExclude(tool)}: exclude it`;
}

/** Why a tool is better excluded. */
export function whyExclude({ results, readInFull, net }: ToolFigures): string {
  return readInFull > 0
    ? `read back in full ${formatCount(readInFull)} of ${countOf(results, "time")}`
    : `cost ${formatCount(-net)} tokens more than it saved`;
}
