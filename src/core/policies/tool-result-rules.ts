import { serializeContent } from "../engine/content.js";
import type { Policy } from "../engine/policy.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { ToolResult } from "../engine/tool-result.js";

/** Why a result left or stayed, in the order in which the rules are asked. */
export type RuleReason = "white_list" | "metadata" | "tokens" | "none";

export interface ToolResultRules {
  /** Names of tools, or of one action of a tool as `tool:action`, whose results always leave. */
  readonly whiteList: readonly string[];
  /** More tokens than this leave. */
  readonly tokenThreshold: number;
  readonly countTokens: CountTokens;
  /** Tools whose results never leave: those that read what left. */
  readonly readingTools: ReadonlySet<string>;
}

/** Seed 004: asked to stay, on the white list, asked to leave, too many tokens. */
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
    return rules.countTokens(serializeContent(result.content)) > rules.tokenThreshold
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
