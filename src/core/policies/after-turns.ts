import type { Policy } from "../policy.js";
import { requireCount } from "./require-count.js";

/** The model sees a result in full for this many of its turns; then it leaves. */
export function afterTurns(turns: number): Policy {
  requireCount("afterTurns", turns);
  const name = `afterTurns(${turns})`;
  const leaves = { leaves: true, reason: `${name}: seen often enough` };
  const stays = { leaves: false, reason: `${name}: not seen often enough` };
  return {
    name,
    readsTotal: false,
    local: false,
    decide: (candidates, conversation) =>
      candidates.map(({ messageIndex }) =>
        conversation.turnsAfter(messageIndex) >= turns ? leaves : stays,
      ),
  };
}
