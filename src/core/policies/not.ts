import type { Policy } from "../policy.js";
import { requirePolicy } from "./require-policy.js";

/** A result leaves when the policy says that it stays, and the other way round. */
export function not(policy: Policy): Policy {
  requirePolicy("not", policy);
  return {
    name: `not(${policy.name})`,
    readsTotal: policy.readsTotal,
    local: policy.local,
    decide: (candidates, conversation) =>
      policy
        .decide(candidates, conversation)
        .map(({ leaves, reason }) => ({ leaves: !leaves, reason: `not(${reason})` })),
  };
}
