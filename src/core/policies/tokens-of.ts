import type { ToolResult } from "../engine/tool-result.js";
import { estimateTokens, type CountTokens } from "../lib/tokens/estimate-tokens.js";
import { renderValue } from "../workspace/reading/readable-view.js";

/**
 * The tokens of what there is to read of a result; images and the like are not text. As its owner
 * counted them, unless the policy has a counter of its own.
 */
export function tokensOf(result: ToolResult, countTokens?: CountTokens): number {
  if (!countTokens && result.tokens !== undefined) return result.tokens;
  const { content } = result;
  const count = countTokens ?? estimateTokens;
  return count(typeof content === "string" ? content : renderValue(content));
}
