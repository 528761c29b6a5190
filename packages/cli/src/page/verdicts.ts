import type { ResultFigures, ToolFigures } from "context-offload/ledger";
import { countOf } from "../terminal/table.js";
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
export function verdictOnTool({ verdict, results, readInFull, net }: ToolFigures): string {
  if (verdict === "too few") return `${countOf(results, "result")}: too few to tell`;
  if (verdict === "pays") return "pays";
  return readInFull > 0
    ? `read back in full ${readInFull} of ${results} times: exclude it`
    : `cost ${-net} tokens more than it saved: exclude it`;
}
