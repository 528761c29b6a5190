import type { Policy } from "../engine/policy.js";
import type { ToolResult } from "../engine/tool-result.js";

/** A policy that judges every result by itself, with one reason for yes and one for no. */
export function eachResult(
  name: string,
  judge: (result: ToolResult) => boolean,
  reasons: { readonly offload: string; readonly stays: string },
): Policy {
  const offload = { offload: true, reason: `${name}: ${reasons.offload}` };
  const stays = { offload: false, reason: `${name}: ${reasons.stays}` };
  return {
    name,
    needsTotalChars: false,
    perResult: true,
    decide: (candidates) => candidates.map((result) => (judge(result) ? offload : stays)),
  };
}
