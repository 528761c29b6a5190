import type { Policy } from "../engine/policy.js";
import { requireCount } from "../arguments.js";

/** Keeps this many of the newest results, and offloads those before them. */
export function keepRecent(count: number): Policy {
  requireCount("keepRecent", count, undefined, 0);
  const name = `keepRecent(${count})`;
  const offload = { offload: true, reason: `${name}: not among the newest` };
  const keep = { offload: false, reason: `${name}: among the newest` };
  return {
    name,
    needsTotalChars: false,
    perResult: false,
    decide: (candidates) =>
      candidates.map((_, index) => (index < candidates.length - count ? offload : keep)),
  };
}
