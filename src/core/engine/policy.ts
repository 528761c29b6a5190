import type { ToolResult } from "./tool-result.js";

/** What a policy says of one tool result, and why. */
export interface Verdict {
  /** Whether to offload it; else it is kept. */
  readonly offload: boolean;
  readonly reason: string;
}

/** What a policy may know of the conversation beside the candidates. */
export interface Conversation {
  readonly messageCount: number;
  /** All characters of all messages; tool inputs count only where a policy needs them. */
  readonly totalChars: number;
  /** The position of the model's last message; -1 before its first. What comes before it was sent. */
  readonly lastModelMessage: number;
  /** How many messages of the model come after this position. */
  turnsAfter(messageIndex: number): number;
  /** How many characters there are from this position on, results in full. */
  charsFrom(messageIndex: number): number;
}

/**
 * Decides which of the candidates to offload: one verdict for each, in their order. Pure.
 * References and answers of the reading tools are never among the candidates.
 */
export interface Policy {
  readonly name: string;
  /** Whether it reads `totalChars` or `charsFrom`; otherwise counting tool inputs is left out. */
  readonly needsTotalChars: boolean;
  /** Whether a verdict depends on that result alone, and so never changes as a history grows. */
  readonly perResult: boolean;
  decide(candidates: readonly ToolResult[], conversation: Conversation): readonly Verdict[];
}

/** The candidates that are to be offloaded; the same list when all of them are. */
export function chosenBy(
  verdicts: readonly Verdict[],
  candidates: readonly ToolResult[],
): readonly ToolResult[] {
  let count = 0;
  for (const { offload } of verdicts) if (offload) count++;
  if (count === candidates.length) return candidates;
  if (count === 0) return [];
  return candidates.filter((_, index) => verdicts[index]?.offload);
}
