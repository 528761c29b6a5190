import type { ToolResult } from "../engine/tool-result.js";
import { tokensOf } from "./by-size.js";

/** Why a result was offloaded or kept. */
export type RuleReason = "white_list" | "metadata" | "tokens" | "none";

export interface ToolResultRules {
  /** Tools whose results are always offloaded: `tool`, or one action of it as `tool:action`. */
  readonly whiteList: readonly string[];
  /** Results of more tokens than this are offloaded. */
  readonly tokenThreshold: number;
}

/** Decides about one result, in this order: reading tools, `offload: false`, the white list, `offload: true`, tokens. */
export function judgeByRules(
  { whiteList, tokenThreshold }: ToolResultRules,
  result: ToolResult,
): { readonly offload: boolean; readonly reason: RuleReason } {
  const { toolName, actionName, offloadFlag, isReadingAnswer } = result;
  if (isReadingAnswer) return { offload: false, reason: "none" };
  if (offloadFlag === false) return { offload: false, reason: "metadata" };
  const isListed =
    toolName !== undefined &&
    (whiteList.includes(toolName) || whiteList.includes(`${toolName}:${actionName ?? ""}`));
  if (isListed) return { offload: true, reason: "white_list" };
  if (offloadFlag === true) return { offload: true, reason: "metadata" };
  return tokensOf(result) > tokenThreshold
    ? { offload: true, reason: "tokens" }
    : { offload: false, reason: "none" };
}
