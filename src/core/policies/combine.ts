import { chosenBy, type Policy, type Verdict } from "../engine/policy.js";
import { requirePolicies, requirePolicy } from "./require-policy.js";

/** Offloads what every policy chooses. Each policy sees only what those before it chose. */
export function all(...policies: readonly Policy[]): Policy {
  const [first, ...rest] = requirePolicies("all", policies) as [Policy, ...Policy[]];
  return {
    name: `all(${policies.map(({ name }) => name).join(", ")})`,
    needsTotalChars: policies.some(({ needsTotalChars }) => needsTotalChars),
    perResult: policies.every(({ perResult }) => perResult),
    decide(candidates, conversation) {
      let verdicts = first.decide(candidates, conversation);
      for (const policy of rest) {
        const chosen = chosenBy(verdicts, candidates);
        if (chosen.length === 0) break;
        const next = policy.decide(chosen, conversation);
        // All were chosen before and none is now: there is nothing to merge.
        const isLast = chosen.length === verdicts.length && !next.some(({ offload }) => offload);
        verdicts = isLast ? next : overlay(verdicts, next);
      }
      return verdicts;
    },
  };
}

/** A result is offloaded for the reasons of all policies, but kept for the reason of the one that keeps it. */
function joined(verdict: Verdict, next: Verdict): Verdict {
  if (!next.offload) return next;
  return { offload: true, reason: `${verdict.reason}; ${next.reason}` };
}

/** The verdicts of `next` replace those that said to offload, in order. */
function overlay(verdicts: readonly Verdict[], next: readonly Verdict[]): readonly Verdict[] {
  const merged: Verdict[] = [];
  let at = 0;
  for (const verdict of verdicts) {
    merged.push(verdict.offload ? joined(verdict, next[at++] ?? verdict) : verdict);
  }
  return merged;
}

/** Offloads what at least one policy chooses; the first one that does gives the reason. */
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

/** Offloads what the policy keeps, and keeps what it offloads. */
export function not(policy: Policy): Policy {
  requirePolicy("not", policy);
  return {
    name: `not(${policy.name})`,
    needsTotalChars: policy.needsTotalChars,
    perResult: policy.perResult,
    decide: (candidates, conversation) =>
      policy
        .decide(candidates, conversation)
        .map(({ offload, reason }) => ({ offload: !offload, reason: `not(${reason})` })),
  };
}
