import { requireArray, requireChoice } from "../arguments.js";
import type { OffloadPlan } from "../engine/offload.js";
import type { ResultState, ToolResult } from "../engine/format.js";
import type { Step, Verdict } from "../engine/policy.js";
import type { ArtifactRecord } from "../workspace/artifacts/artifact.js";
import type { ReadingCall } from "./reads.js";

/** What was done with one tool result. */
export interface ResultReport {
  readonly messageIndex: number;
  readonly toolCallId: string | undefined;
  readonly toolName: string | undefined;
  /** `reference`: it was already a reference. `failed`: it could not be stored and was kept. */
  readonly outcome: "offloaded" | "reference" | "kept" | "failed";
  /** Why it was offloaded or kept. */
  readonly reason: string;
  /** What it is at this point of the conversation, if the policy lets results grow old, as the default does. */
  readonly state?: ResultState | undefined;
  /** Its size in characters, without media that is kept. */
  readonly chars: number;
  /** Tokens of the content, if it was offloaded, now or before. */
  readonly tokens: number | undefined;
  /** If it is an answer of a reading tool: what was read, and the tokens of the whole answer. */
  readonly read?: { readonly artifactId: string | undefined; readonly tokens: number } | undefined;
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
  /** The step that was made after the last reply, if there was one. */
  readonly step?: Omit<Step, "before">;
  /** What is stale and waits for the next step. */
  readonly gathered: { readonly results: number; readonly tokens: number };
}

/** What a dry run tells. */
export interface OffloadEstimate extends OffloadReport {
  /** What would be offloaded after one more reply, besides that. */
  readonly nextStep: OffloadReport["gathered"];
  /** What the reading tools and the system prompt add to every request, in tokens. */
  readonly addedTokens: number;
  /** What each request saves after that; below zero, offloading does not pay for this conversation. */
  readonly netTokensSaved: number;
}

/** Tells of every result of a plan what became of it. */
export function reportResults(
  plan: OffloadPlan<Pick<ArtifactRecord, "artifactId" | "size">>,
  offloaded: ReadonlyMap<ToolResult, OffloadedResult>,
  kept: ReadonlyMap<ToolResult, KeptReason>,
): ResultReport[] {
  const verdicts = verdictsOf(plan);
  const reports: ResultReport[] = [];
  for (const result of plan.results) {
    if (result.part !== undefined) continue;
    const referred = plan.references.get(result);
    const { reason = "", state } = verdicts.get(result) ?? {};
    const put = offloaded.get(result);
    const why = kept.get(result);
    const tokens = referred ? referred.size.tokens : put?.tokens;
    // Spelled out, since a long history has thousands of them.
    reports.push({
      messageIndex: result.messageIndex,
      toolCallId: result.id,
      toolName: result.toolName,
      outcome: referred ? "reference" : put ? "offloaded" : (why?.outcome ?? "kept"),
      reason: referred ? "it is a reference already" : put ? reason : (why?.reason ?? reason),
      state: referred ? result.offloadedAs : state,
      chars: result.chars,
      tokens,
      read: result.isReadingAnswer ? readOf(result, tokens) : undefined,
      reference: referred ? result.soleText : put?.reference,
      referenceTokens: referred ? result.tokens : put?.referenceTokens,
      artifactId: referred ? referred.artifactId : put?.artifactId,
      error: put ? undefined : why?.error,
    });
  }
  return reports;
}

function readOf(result: ToolResult, tokens: number | undefined): ResultReport["read"] {
  const { reading } = result as ToolResult & { readonly reading?: ReadingCall };
  return { artifactId: reading?.artifactId, tokens: tokens ?? result.tokens ?? 0 };
}

/** The verdict about each candidate of a plan. */
export function verdictsOf({
  candidates,
  verdicts,
}: Pick<OffloadPlan<unknown>, "candidates" | "verdicts">): ReadonlyMap<ToolResult, Verdict> {
  return new Map(candidates.map((result, index) => [result, verdicts[index] as Verdict]));
}

/** What a plan tells of the step after this reply, and of the next one. */
export function reportSteps(
  { candidates, verdicts }: Pick<OffloadPlan<unknown>, "candidates" | "verdicts">,
  turn: number,
  isMade: (result: ToolResult) => boolean,
): Pick<OffloadReport, "step" | "gathered"> {
  const gathered = { results: 0, tokens: 0 };
  let step: Step | undefined;
  for (const [index, verdict] of verdicts.entries()) {
    const result = candidates[index] as ToolResult;
    if (verdict.step?.turn === turn && isMade(result)) step = verdict.step;
    if (verdict.offload || verdict.state === undefined) continue;
    if (verdict.state === "fresh" || verdict.state === "small") continue;
    gathered.results++;
    gathered.tokens += result.tokens ?? 0;
  }
  if (!step) return { gathered };
  const { turn: at, results, freedTokens, rewrittenTokens, isOverflow } = step;
  const overflow = isOverflow ? { isOverflow } : {};
  return { step: { turn: at, results, freedTokens, rewrittenTokens, ...overflow }, gathered };
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
