import { chosenBy, type Policy, type Verdict } from "../policy.js";

/** A result leaves when every policy says so. Each sees only what those before it chose. */
export function all(...policies: readonly [Policy, ...Policy[]]): Policy {
  const [first, ...rest] = policies;
  return {
    name: `all(${policies.map(({ name }) => name).join(", ")})`,
    readsTotal: policies.some(({ readsTotal }) => readsTotal),
    decide(candidates, conversation) {
      let verdicts = first.decide(candidates, conversation);
      for (const policy of rest) {
        const chosen = chosenBy(verdicts, candidates);
        if (chosen.length === 0) break;
        verdicts = overlay(verdicts, policy.decide(chosen, conversation));
      }
      return verdicts;
    },
  };
}

/** The verdicts of `next` take the places of those that said "leaves", in their order. */
function overlay(verdicts: readonly Verdict[], next: readonly Verdict[]): readonly Verdict[] {
  if (next.length === verdicts.length) return next;
  const merged: Verdict[] = [];
  let at = 0;
  for (const verdict of verdicts) {
    merged.push(verdict.leaves ? (next[at++] ?? verdict) : verdict);
  }
  return merged;
}
