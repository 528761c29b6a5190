import { DEFAULTS } from "../defaults.js";
import { requireCount, requireObject } from "../arguments.js";
import type { Policy } from "../engine/policy.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { ToolResult } from "../engine/tool-result.js";
import { tokensOf } from "./by-size.js";

/** Options of `tokenBudget`. */
export interface TokenBudgetOptions {
  /** Maximum number of tokens of the whole conversation. */
  readonly maxTokens: number;
  /** Counts tokens. Default: the workspace's own counter. */
  readonly countTokens?: CountTokens | undefined;
}

/**
 * Offloads results until the conversation fits: first those of the older half, largest first, then
 * those of the newer half.
 */
export function tokenBudget(options: TokenBudgetOptions): Policy {
  requireObject("tokenBudget", options, "an object with maxTokens");
  const { maxTokens, countTokens } = options;
  requireCount("maxTokens", maxTokens, undefined, 0);
  const name = `tokenBudget(${maxTokens})`;
  const offload = { offload: true, reason: `${name}: to make room` };
  const keep = { offload: false, reason: `${name}: there is room` };
  return {
    name,
    needsTotalChars: true,
    perResult: false,
    decide(candidates, { totalChars }) {
      const sizes = candidates.map((result) => tokensOf(result, countTokens));
      const resultChars = candidates.reduce((sum, { chars }) => sum + chars, 0);
      let tokens = (totalChars - resultChars) / DEFAULTS.charsPerToken;
      for (const size of sizes) tokens += size;
      const chosen = new Set<ToolResult>();
      for (const index of offloadOrder(sizes)) {
        if (tokens <= maxTokens) break;
        const saved = (sizes[index] ?? 0) - DEFAULTS.referenceTokens;
        if (saved <= 0) continue;
        chosen.add(candidates[index] as ToolResult);
        tokens -= saved;
      }
      return candidates.map((result) => (chosen.has(result) ? offload : keep));
    },
  };
}

/** The indices of results, in the order in which to offload them. */
function offloadOrder(sizes: readonly number[]): number[] {
  const half = Math.ceil(sizes.length / 2);
  const largestFirst = (a: number, b: number) => (sizes[b] ?? 0) - (sizes[a] ?? 0) || a - b;
  const positions = [...sizes.keys()];
  return [
    ...positions.slice(0, half).sort(largestFirst),
    ...positions.slice(half).sort(largestFirst),
  ];
}
