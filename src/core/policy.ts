import type { ToolResult } from "./tool-result.js";

/** What a policy says of one tool result, and why. */
export interface Verdict {
  readonly leaves: boolean;
  readonly reason: string;
}

/** What a policy may know of the conversation beside the candidates. */
export interface Conversation {
  readonly messageCount: number;
  /** All characters of all messages. */
  readonly totalChars: number;
}

/**
 * Decides which of the candidates leave: one verdict for each, in their order. Pure.
 * References and answers of the reading tools are never among the candidates.
 */
export interface Policy {
  readonly name: string;
  /** Whether it asks for `totalChars`; counting is left out when no policy does. */
  readonly readsTotal: boolean;
  decide(candidates: readonly ToolResult[], conversation: Conversation): readonly Verdict[];
}

/** The candidates whose verdict is to leave. */
export function chosenBy(
  verdicts: readonly Verdict[],
  candidates: readonly ToolResult[],
): ToolResult[] {
  const chosen: ToolResult[] = [];
  for (let index = 0; index < candidates.length; index++) {
    if (verdicts[index]?.leaves) chosen.push(candidates[index] as ToolResult);
  }
  return chosen;
}
