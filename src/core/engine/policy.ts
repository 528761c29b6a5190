import type { ToolResult } from "./tool-result.js";

/** What a policy says of one tool result, and why. */
export interface Verdict {
  readonly offload: boolean;
  readonly reason: string;
}

/** What a policy may know of the conversation beside the candidates. */
export interface Conversation {
  readonly messageCount: number;
  /** All characters of all messages; 0 when no policy reads it. */
  readonly totalChars: number;
  /** The position of the model's last message; -1 before its first. What stands before it was sent. */
  readonly lastModelMessage: number;
  /** How many messages of the model come after this position. */
  turnsAfter(messageIndex: number): number;
  /** How many characters stand from this position on, results in full. */
  charsFrom(messageIndex: number): number;
}

/**
 * Decides which of the candidates leave: one verdict for each, in their order. Pure.
 * References and answers of the reading tools are never among the candidates.
 */
export interface Policy {
  readonly name: string;
  /** Whether it asks for characters outside of results; counting is left out when no policy does. */
  readonly needsTotalChars: boolean;
  /** Whether a verdict depends on the one result alone, and so never changes as a history grows. */
  readonly perResult: boolean;
  decide(candidates: readonly ToolResult[], conversation: Conversation): readonly Verdict[];
}

/** The candidates whose verdict is to leave; the very list when all of them do. */
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
