import type { Policy } from "../engine/policy.js";
import { requireCount } from "../arguments.js";

/** The newest results stay, as many as this; those before them may leave. */
export function keepRecent(count: number): Policy {
  requireCount("keepRecent", count, undefined, 0);
  const name = `keepRecent(${count})`;
  const offload = { offload: true, reason: `${name}: not among the newest` };
  const stays = { offload: false, reason: `${name}: among the newest` };
  return {
    name,
    needsTotalChars: false,
    perResult: false,
    decide: (candidates) =>
      candidates.map((_, index) => (index < candidates.length - count ? offload : stays)),
  };
}
