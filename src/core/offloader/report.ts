import type { OffloadPlan } from "../engine/offload.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { ToolResult } from "../engine/tool-result.js";
import type { Refusal, StoredResult } from "./stored-result.js";

/** What became of one tool result. */
export interface ResultReport {
  readonly messageIndex: number;
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  /** `reference`: it had left before this call. `failed`: it could not be stored and stayed. */
  readonly outcome: "offloaded" | "reference" | "kept" | "failed";
  readonly reason: string;
  /** How many characters leave with it, or would. */
  readonly chars: number;
  /** Of the content, for those that left. */
  readonly tokens: number | undefined;
  /** The text in its place. */
  readonly reference: string | undefined;
  readonly artifactId: string | undefined;
  /** Why it could not be stored, with `onError: "keep"`. */
  readonly error: unknown;
}

/** Sums over the whole conversation. */
export interface OffloadTotals {
  readonly results: number;
  readonly offloaded: number;
  readonly references: number;
  readonly kept: number;
  readonly failed: number;
  /** Characters and tokens that left, less the references that came. */
  readonly charsSaved: number;
  readonly tokensSaved: number;
}

export interface OffloadReport {
  /** Every result that this call looked at; those of messages seen before count in `totals` alone. */
  readonly results: readonly ResultReport[];
  readonly totals: OffloadTotals;
}

export const NO_TOTALS: OffloadTotals = Object.freeze({
  results: 0,
  offloaded: 0,
  references: 0,
  kept: 0,
  failed: 0,
  charsSaved: 0,
  tokensSaved: 0,
});

/** Tells of every result of a plan what became of it. */
export function reportResults(
  plan: OffloadPlan<StoredResult>,
  stored: ReadonlyMap<ToolResult, StoredResult>,
  refusals: ReadonlyMap<ToolResult, Refusal>,
): ResultReport[] {
  const reasons = new Map(
    plan.candidates.map((result, index) => [result, plan.verdicts[index]?.reason ?? ""]),
  );
  return plan.results.map((result) => {
    const { messageIndex, id, toolName, chars } = result;
    const base = { messageIndex, toolCallId: id, toolName, chars, error: undefined };
    const none = { tokens: undefined, reference: undefined, artifactId: undefined };
    const reason = reasons.get(result) ?? "";
    const reference = plan.references.get(result);
    if (reference) {
      const { artifactId, reference: text } = reference;
      const why = "it is a reference already";
      return { ...base, ...none, outcome: "reference", reason: why, artifactId, reference: text };
    }
    const put = stored.get(result);
    if (put) return { ...base, outcome: "offloaded", reason, ...put };
    const refusal = refusals.get(result);
    return refusal
      ? { ...base, ...none, error: undefined, ...refusal }
      : { ...base, ...none, outcome: "kept", reason };
  });
}

/** The totals with these results added. */
export function addTotals(
  totals: OffloadTotals,
  results: readonly ResultReport[],
  countTokens: CountTokens,
): OffloadTotals {
  const next = { ...totals };
  for (const { outcome, chars, tokens, reference } of results) {
    next.results++;
    if (outcome === "reference") next.references++;
    else if (outcome !== "offloaded") next[outcome]++;
    else {
      next.offloaded++;
      next.charsSaved += chars - (reference?.length ?? 0);
      next.tokensSaved += (tokens ?? 0) - countTokens(reference ?? "");
    }
  }
  return next;
}
