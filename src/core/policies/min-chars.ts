import type { Policy, Verdict } from "../engine/policy.js";
import { requireNumber } from "../arguments.js";

/** A result offload when it has at least this many characters. An empty one never does. */
export function minChars(threshold: number): Policy {
  requireNumber("minChars", threshold);
  const name = `minChars(${threshold})`;
  const offload = { offload: true, reason: `${name}: long enough` };
  const stays = { offload: false, reason: `${name}: too short` };
  const least = Math.max(threshold, 1);
  return {
    name,
    needsTotalChars: false,
    perResult: true,
    decide(candidates) {
      const verdicts = new Array<Verdict>(candidates.length);
      let at = 0;
      for (const { chars } of candidates) verdicts[at++] = chars >= least ? offload : stays;
      return verdicts;
    },
  };
}
