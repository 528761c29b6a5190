import type { Policy, Verdict } from "../engine/policy.js";
import { requireNumber } from "../arguments.js";

/** Offloads results of at least this many characters; never an empty one. */
export function minChars(threshold: number): Policy {
  requireNumber("minChars", threshold);
  const name = `minChars(${threshold})`;
  const offload = { offload: true, reason: `${name}: large enough` };
  const keep = { offload: false, reason: `${name}: too small` };
  const least = Math.max(threshold, 1);
  return {
    name,
    needsTotalChars: false,
    perResult: true,
    decide(candidates) {
      const verdicts = new Array<Verdict>(candidates.length);
      let at = 0;
      for (const { chars } of candidates) verdicts[at++] = chars >= least ? offload : keep;
      return verdicts;
    },
  };
}
