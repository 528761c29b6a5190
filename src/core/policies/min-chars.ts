import type { Policy, Verdict } from "../policy.js";

/** A result leaves when it has at least this many characters. An empty one never does. */
export function minChars(threshold: number): Policy {
  const name = `minChars(${threshold})`;
  const leaves = { leaves: true, reason: `${name}: long enough` };
  const stays = { leaves: false, reason: `${name}: too short` };
  const least = Math.max(threshold, 1);
  return {
    name,
    readsTotal: false,
    decide(candidates) {
      const verdicts: Verdict[] = [];
      for (const { chars } of candidates) verdicts.push(chars >= least ? leaves : stays);
      return verdicts;
    },
  };
}
