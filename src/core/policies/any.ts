import type { Policy, Verdict } from "../engine/policy.js";
import { requirePolicies } from "./require-policy.js";

/** A result offload when at least one policy says so; the first that does gives the reason. */
export function any(...policies: readonly Policy[]): Policy {
  const [first, ...rest] = requirePolicies("any", policies) as [Policy, ...Policy[]];
  return {
    name: `any(${policies.map(({ name }) => name).join(", ")})`,
    needsTotalChars: policies.some(({ needsTotalChars }) => needsTotalChars),
    perResult: policies.every(({ perResult }) => perResult),
    decide(candidates, conversation) {
      let verdicts = first.decide(candidates, conversation);
      for (const policy of rest) {
        const staying = candidates.filter((_, index) => !verdicts[index]?.offload);
        if (staying.length === 0) break;
        const next = policy.decide(staying, conversation);
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
