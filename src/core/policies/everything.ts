import type { Policy } from "../engine/policy.js";

const LEAVES = { offload: true, reason: "the caller asked for it" } as const;

/** Offloads every result: the caller has decided already. */
export const everything: Policy = {
  name: "everything",
  needsTotalChars: false,
  perResult: true,
  decide: (candidates) => candidates.map(() => LEAVES),
};
