import type { Policy, Verdict } from "../engine/policy.js";
import type { ToolResult } from "../engine/tool-result.js";
import { requireVerdicts } from "../policies/require-policy.js";

/**
 * The host's policy, with rules that it cannot override: what was offloaded is offloaded again, and
 * answers of the reading tools and results without text are kept.
 */
export function guardPolicy(policy: Policy): Policy {
  const settledOf = (result: ToolResult): Verdict | undefined => {
    const { chars, offloadedBefore, isReadingAnswer } = result;
    // The model has seen a reference there: putting the content back would rewrite what was sent.
    if (offloadedBefore) return { offload: true, reason: "it was offloaded before" };
    // A date, bytes or a cycle would come back as something else, or not at all.
    if (result.isPlain === false) return { offload: false, reason: "JSON cannot hold its content" };
    if (chars === 0) return { offload: false, reason: "it has no text" };
    if (!isReadingAnswer) return undefined;
    return { offload: false, reason: "it is the answer of a reading tool" };
  };
  return {
    ...policy,
    decide(candidates, conversation) {
      const settled = candidates.map(settledOf);
      const asked = candidates.filter((_, index) => !settled[index]);
      const verdicts = requireVerdicts(policy, policy.decide(asked, conversation), asked.length);
      let at = 0;
      return settled.map((verdict) => verdict ?? (verdicts[at++] as Verdict));
    },
  };
}

/** For a host that wants other parts offloaded, but no results. */
export const KEEP_RESULTS: Policy = {
  name: "keepResults",
  needsTotalChars: false,
  perResult: true,
  decide: (candidates) =>
    candidates.map(() => ({ offload: false, reason: "parts has no results" })),
};
