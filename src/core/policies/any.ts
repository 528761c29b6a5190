import type { Policy, Verdict } from "../engine/policy.js";
import { requirePolicies } from "./require-policy.js";

/** Offloads what at least one policy chooses; the first that does gives the reason. */
export function any(...policies: readonly Policy[]): Policy {
  const [first, ...rest] = requirePolicies("any", policies) as [Policy, ...Policy[]];
  return {
    name: `any(${policies.map(({ name }) => name).join(", ")})`,
    needsTotalChars: policies.some(({ needsTotalChars }) => needsTotalChars),
    perResult: policies.every(({ perResult }) => perResult),
    decide(candidates, conversation) {
      let verdicts = first.decide(candidates, conversation);
      for (const policy of rest) {
        const kept = candidates.filter((_, index) => !verdicts[index]?.offload);
        if (kept.length === 0) break;
        const next = policy.decide(kept, conversation);
        let at = 0;
        verdicts = verdicts.map((verdict): Verdict => {
          if (verdict.offload) return verdict;
          const other = next[at++];
          return other?.offload ? other : verdict;
        });
      }
      return verdicts;
    },
  };
}
