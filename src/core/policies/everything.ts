import type { Policy } from "../policy.js";

const LEAVES = { leaves: true, reason: "the caller asked for it" } as const;

/** Every result leaves: the caller has judged already. */
export const everything: Policy = {
  name: "everything",
  readsTotal: false,
  local: true,
  decide: (candidates) => candidates.map(() => LEAVES),
};
