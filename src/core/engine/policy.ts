import type { ToolResult } from "./tool-result.js";

/** A policy's decision about one tool result, and its reason. */
export interface Verdict {
  /** Whether to offload it; otherwise it is kept. */
  readonly offload: boolean;
  readonly reason: string;
}

/** What a policy may know of the conversation besides the candidates. */
export interface Conversation {
  readonly messageCount: number;
  /** The characters of all messages; tool inputs are included only when a policy has `needsTotalChars`. */
  readonly totalChars: number;
  /** The index of the model's last message, or -1 if there is none. Everything before it was sent to the model. */
  readonly lastModelMessage: number;
  /** How many turns of the model come after this index. */
  turnsAfter(messageIndex: number): number;
  /** How many characters there are from this index on, with results in full. */
  charsFrom(messageIndex: number): number;
}

/**
 * Decides which of the candidates to offload: one verdict for each, in the same order. Pure.
 * References and answers of the reading tools are never among the candidates.
 */
export interface Policy {
  readonly name: string;
  /** Whether it uses `totalChars` or `charsFrom`; if not, tool inputs need not be counted. */
  readonly needsTotalChars: boolean;
  /** Whether a verdict depends on that result alone, and so never changes as the history grows. */
  readonly perResult: boolean;
  decide(candidates: readonly ToolResult[], conversation: Conversation): readonly Verdict[];
}

/** The candidates to be offloaded; the same list when all of them are. */
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
