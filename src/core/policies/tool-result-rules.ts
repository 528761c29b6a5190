import type { Policy } from "../engine/policy.js";
import { tokensOf } from "./tokens-of.js";
import type { ToolResult } from "../engine/tool-result.js";

/** Why a result was offloaded or kept. */
export type RuleReason = "white_list" | "metadata" | "tokens" | "none";

export interface ToolResultRules {
  /** Names of tools, or of one action of a tool as `tool:action`, whose results are always offloaded. */
  readonly whiteList: readonly string[];
  /** Results of more tokens than this are offloaded. */
  readonly tokenThreshold: number;
  /** Tools whose results are never offloaded: those that read what was. */
  readonly readingTools: ReadonlySet<string>;
}

/** In this order: the host wishes to keep it, the white list, the host wishes to offload it, tokens. */
export function toolResultRules(rules: ToolResultRules): Policy {
  const whiteList = new Set(rules.whiteList);
  const judge = (result: ToolResult): { offload: boolean; reason: RuleReason } => {
    const { toolName, actionName, offloadFlag } = result;
    if (toolName !== undefined && rules.readingTools.has(toolName)) {
      return { offload: false, reason: "none" };
    }
    if (offloadFlag === false) return { offload: false, reason: "metadata" };
    if (toolName !== undefined) {
      const action = `${toolName}:${actionName ?? ""}`;
      if (whiteList.has(toolName) || whiteList.has(action)) {
        return { offload: true, reason: "white_list" };
      }
    }
    if (offloadFlag === true) return { offload: true, reason: "metadata" };
    return tokensOf(result) > rules.tokenThreshold
      ? { offload: true, reason: "tokens" }
      : { offload: false, reason: "none" };
  };
  return {
    name: "toolResultRules",
    needsTotalChars: false,
    perResult: true,
    decide: (candidates) => candidates.map(judge),
  };
}
