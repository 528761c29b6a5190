import type { Policy } from "../policy.js";
import type { ToolResult } from "../tool-result.js";

/** A policy that judges every result by itself, with one reason for yes and one for no. */
export function eachResult(
  name: string,
  judge: (result: ToolResult) => boolean,
  reasons: { readonly leaves: string; readonly stays: string },
): Policy {
  const leaves = { leaves: true, reason: `${name}: ${reasons.leaves}` };
  const stays = { leaves: false, reason: `${name}: ${reasons.stays}` };
  return {
    name,
    readsTotal: false,
    local: true,
    decide: (candidates) => candidates.map((result) => (judge(result) ? leaves : stays)),
  };
}
