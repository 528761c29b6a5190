import { requireArray, requireChoice } from "../arguments.js";
import type { OffloadPlan } from "../engine/offload.js";
import type { ToolResult } from "../engine/format.js";
import type { ArtifactRecord } from "../workspace/artifacts/artifact.js";

/** What was done with one tool result. */
export interface ResultReport {
  readonly messageIndex: number;
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  /** `reference`: it was already a reference. `failed`: it could not be stored and was kept. */
  readonly outcome: "offloaded" | "reference" | "kept" | "failed";
  /** Why it was offloaded or kept. */
  readonly reason: string;
  /** Its size in characters, without media that is kept. */
  readonly chars: number;
  /** Tokens of the content, if it was offloaded. */
  readonly tokens: number | undefined;
  /** The text that replaces it. */
  readonly reference: string | undefined;
  /** Tokens of that text. */
  readonly referenceTokens: number | undefined;
  readonly artifactId: string | undefined;
  /** Why it could not be stored, with `onError: "keep"`. */
  readonly error: unknown;
}

/** A result that was offloaded, or would be. */
export interface OffloadedResult {
  /** The text that replaces it. */
  readonly reference: string;
  readonly referenceTokens: number;
  /** Tokens of the content. */
  readonly tokens: number;
  /** `undefined` when nothing was stored yet. */
  readonly artifactId: string | undefined;
}

/** Why a result was kept although the policy chose it. */
export interface KeptReason {
  readonly outcome: "kept" | "failed";
  readonly reason: string;
  readonly error?: unknown;
}

/** Totals of the whole conversation. */
export interface OffloadTotals {
  readonly results: number;
  readonly offloaded: number;
  readonly references: number;
  readonly kept: number;
  readonly failed: number;
  /** Characters that were offloaded, minus those of the references. */
  readonly charsSaved: number;
  /** Tokens that were offloaded, minus those of the references. */
  readonly tokensSaved: number;
}

/** What of a conversation is offloaded: results, and by request large texts of users and large inputs of calls. */
export type PartKind = "results" | "userMessages" | "toolInputs";

const PART_KINDS: readonly PartKind[] = ["results", "userMessages", "toolInputs"];

/** What is to be offloaded, as the host asked for it. */
export function requireKinds(given: unknown): void {
  const expected = `an array of ${PART_KINDS.join(", ")}, or some of them`;
  for (const kind of requireArray("parts", given, expected)) {
    requireChoice("parts", kind, PART_KINDS);
  }
}

/** What was offloaded besides results, with `parts`. */
export interface PartReport {
  readonly kind: Exclude<PartKind, "results">;
  readonly messageIndex: number;
  readonly artifactId: string;
  readonly charsSaved: number;
  readonly tokensSaved: number;
}

/** What became of the tool results, and what that saves. */
export interface OffloadReport {
  /** Every result that this call looked at; results of messages seen before count only in `totals`. */
  readonly results: readonly ResultReport[];
  readonly totals: OffloadTotals;
  /** What this call offloaded besides results; only with `parts`. */
  readonly parts?: readonly PartReport[];
}

/** What a dry run tells. */
export interface OffloadEstimate extends OffloadReport {
  /** What the reading tools and the system prompt add to every request, in tokens. */
  readonly addedTokens: number;
  /** What each request saves after that; below zero, offloading does not pay for this conversation. */
  readonly netTokensSaved: number;
}

/** Tells of every result of a plan what became of it. */
export function reportResults(
  plan: OffloadPlan<Pick<ArtifactRecord, "artifactId">>,
  offloaded: ReadonlyMap<ToolResult, OffloadedResult>,
  kept: ReadonlyMap<ToolResult, KeptReason>,
): ResultReport[] {
  let at = 0;
  return plan.results.map((result) => {
    const referred = plan.references.get(result);
    const reason = referred ? "it is a reference already" : (plan.verdicts[at++]?.reason ?? "");
    const put = offloaded.get(result);
    const why = kept.get(result);
    // Spelled out, since a long history has thousands of them every turn.
    return {
      messageIndex: result.messageIndex,
      toolCallId: result.id,
      toolName: result.toolName,
      outcome: referred ? "reference" : put ? "offloaded" : (why?.outcome ?? "kept"),
      reason: put ? reason : (why?.reason ?? reason),
      chars: result.chars,
      tokens: put?.tokens,
      reference: referred ? result.soleText : put?.reference,
      referenceTokens: put?.referenceTokens,
      artifactId: referred ? referred.artifactId : put?.artifactId,
      error: put ? undefined : why?.error,
    };
  });
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

/** The totals with these results added. */
export function addReports(totals: OffloadTotals, results: readonly ResultReport[]): OffloadTotals {
  const next = { ...totals };
  for (const { outcome, chars, tokens = 0, reference = "", referenceTokens = 0 } of results) {
    next.results++;
    next[outcome === "reference" ? "references" : outcome]++;
    if (outcome !== "offloaded") continue;
    next.charsSaved += chars - reference.length;
    next.tokensSaved += tokens - referenceTokens;
  }
  return next;
}
