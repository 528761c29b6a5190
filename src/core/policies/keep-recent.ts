import type { Policy } from "../policy.js";
import { requireCount } from "./require-count.js";

/** The newest results stay, as many as this; those before them may leave. */
export function keepRecent(count: number): Policy {
  requireCount("keepRecent", count);
  const name = `keepRecent(${count})`;
  const leaves = { leaves: true, reason: `${name}: not among the newest` };
  const stays = { leaves: false, reason: `${name}: among the newest` };
  return {
    name,
    readsTotal: false,
    local: false,
    decide: (candidates) =>
      candidates.map((_, index) => (index < candidates.length - count ? leaves : stays)),
  };
}
