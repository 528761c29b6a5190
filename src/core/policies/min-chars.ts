import type { Policy, Verdict } from "../policy.js";
import { requireNumber } from "./require-count.js";

/** A result leaves when it has at least this many characters. An empty one never does. */
export function minChars(threshold: number): Policy {
  requireNumber("minChars", threshold);
  const name = `minChars(${threshold})`;
  const leaves = { leaves: true, reason: `${name}: long enough` };
  const stays = { leaves: false, reason: `${name}: too short` };
  const least = Math.max(threshold, 1);
  return {
    name,
    readsTotal: false,
    local: true,
    decide(candidates) {
      const verdicts = new Array<Verdict>(candidates.length);
      let at = 0;
      for (const { chars } of candidates) verdicts[at++] = chars >= least ? leaves : stays;
      return verdicts;
    },
  };
}
