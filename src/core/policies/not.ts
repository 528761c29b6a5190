import type { Policy } from "../engine/policy.js";
import { requirePolicy } from "./require-policy.js";

/** Offloads what the policy keeps, and the other way round. */
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
