import type { Policy } from "../engine/policy.js";
import { requireCount } from "../arguments.js";

/** Offloads a result after the model has seen it in full for this many turns. */
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

/** Keeps this many of the newest results and offloads the older ones. */
export function keepRecent(count: number): Policy {
  requireCount("keepRecent", count, undefined, 0);
  const name = `keepRecent(${count})`;
  const offload = { offload: true, reason: `${name}: not among the newest` };
  const keep = { offload: false, reason: `${name}: among the newest` };
  return {
    name,
    needsTotalChars: false,
    perResult: false,
    decide: (candidates) =>
      candidates.map((_, index) => (index < candidates.length - count ? offload : keep)),
  };
}
