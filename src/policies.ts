export type { Conversation, Policy, Verdict } from "./core/engine/policy.js";
export type { ToolResult } from "./core/engine/tool-result.js";
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
export { cacheAware, type CacheAwareOptions } from "./core/policies/cache-aware.js";
export { minChars, minRatio, minTokens } from "./core/policies/by-size.js";
export { tokenBudget, type TokenBudgetOptions } from "./core/policies/token-budget.js";
