import type { Policy } from "../engine/policy.js";
import { requireCount } from "../arguments.js";

/** The model sees a result in full for this many of its turns; then it offload. */
export function afterTurns(turns: number): Policy {
  requireCount("afterTurns", turns, undefined, 0);
  const name = `afterTurns(${turns})`;
  const offload = { offload: true, reason: `${name}: seen often enough` };
  const keep = { offload: false, reason: `${name}: not seen often enough` };
  return {
    name,
    needsTotalChars: false,
    perResult: false,
    decide: (candidates, conversation) =>
      candidates.map(({ messageIndex }) =>
        conversation.turnsAfter(messageIndex) >= turns ? offload : keep,
      ),
  };
}
