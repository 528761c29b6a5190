import type { Policy, Verdict } from "../engine/policy.js";
import { requireNumber } from "../arguments.js";

/**
 * The candidates leave together when they make at least this share of all characters, or none does.
 * Behind another policy in `all`, the candidates are those that the other one chose.
 */
export function minRatio(threshold: number): Policy {
  requireNumber("minRatio", threshold);
  const name = `minRatio(${threshold})`;
  const offload = { offload: true, reason: `${name}: worth the pass` };
  const stays = { offload: false, reason: `${name}: too small a share` };
  return {
    name,
    needsTotalChars: true,
    perResult: false,
    decide(candidates, conversation) {
      let offloadableChars = 0;
      for (const { chars } of candidates) offloadableChars += chars;
      // With nothing to gain the share is not asked for: a threshold of 0 would let the pass through.
      const pays = offloadableChars > 0 && offloadableChars / conversation.totalChars >= threshold;
      const verdict = pays ? offload : stays;
      return new Array<Verdict>(candidates.length).fill(verdict);
    },
  };
}
