/**
 * Decides which results are offloaded.
 *
 * @module policies
 */
export type { Conversation, Policy, PolicyLike, Step, Verdict } from "./core/engine/policy.js";
export type { ResultState, ToolResult } from "./core/engine/format.js";
export {
  afterTurns,
  byTool,
  type ByToolOptions,
  everything,
  flagged,
  keepErrors,
  keepRecent,
} from "./core/policies/by-result.js";
export { all, any, not } from "./core/policies/combine.js";
export {
  cacheAware,
  type CacheAwareOptions,
  tokenBudget,
  type TokenBudgetOptions,
} from "./core/policies/by-budget.js";
export { freshAndStale, type FreshAndStaleOptions } from "./core/policies/fresh-and-stale.js";
export { minChars, minRatio, minTokens } from "./core/policies/by-size.js";
