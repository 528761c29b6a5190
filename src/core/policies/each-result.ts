import type { Policy } from "../engine/policy.js";
import type { ToolResult } from "../engine/tool-result.js";

/** A policy that judges every result by itself, with one reason for yes and one for no. */
export function eachResult(
  name: string,
  judge: (result: ToolResult) => boolean,
  reasons: { readonly offload: string; readonly keep: string },
): Policy {
  const offload = { offload: true, reason: `${name}: ${reasons.offload}` };
  const keep = { offload: false, reason: `${name}: ${reasons.keep}` };
  return {
    name,
    needsTotalChars: false,
    perResult: true,
    decide: (candidates) => candidates.map((result) => (judge(result) ? offload : keep)),
  };
}
