import type { Policy, Verdict } from "../engine/policy.js";
import { requireNumber } from "../arguments.js";

/**
 * Offloads all candidates when together they make at least this share of all characters, or none.
 * Behind another policy in `all`, the candidates are those that the other one chose.
 */
export function minRatio(threshold: number): Policy {
  requireNumber("minRatio", threshold);
  const name = `minRatio(${threshold})`;
  const offload = { offload: true, reason: `${name}: worth the pass` };
  const keep = { offload: false, reason: `${name}: too small a share` };
  return {
    name,
    needsTotalChars: true,
    perResult: false,
    decide(candidates, conversation) {
      let offloadableChars = 0;
      for (const { chars } of candidates) offloadableChars += chars;
      // With nothing to gain the share is not asked for: a threshold of 0 would let the pass go on.
      const pays = offloadableChars > 0 && offloadableChars / conversation.totalChars >= threshold;
      const verdict = pays ? offload : keep;
      return new Array<Verdict>(candidates.length).fill(verdict);
    },
  };
}
