import type { Policy } from "../engine/policy.js";
import { requireCount, requireObject } from "../arguments.js";
import { estimateTokens, type CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { ToolResult } from "../engine/tool-result.js";
import { createResultTokenCounter } from "./count-result-tokens.js";

/** What is left in place of a result counts too, roughly. */
const REFERENCE_TOKENS = 550;
/** For what stands outside of results, whose text is not at hand. */
const CHARS_PER_TOKEN = 4;

export interface BudgetOptions {
  /** How many tokens the whole conversation may have. */
  readonly maxTokens: number;
  readonly countTokens?: CountTokens | undefined;
}

/**
 * Results leave until the conversation fits: the oldest half of them first, the largest of those
 * first, then the newer half.
 */
export function budget(options: BudgetOptions): Policy {
  requireObject("budget", options, "an object with maxTokens");
  const { maxTokens, countTokens = estimateTokens } = options;
  requireCount("maxTokens", maxTokens, undefined, 0);
  const tokensOf = createResultTokenCounter(countTokens);
  const name = `budget(${maxTokens})`;
  const offload = { offload: true, reason: `${name}: to make room` };
  const stays = { offload: false, reason: `${name}: there is room` };
  return {
    name,
    needsTotalChars: true,
    perResult: false,
    decide(candidates, { totalChars }) {
      const sizes = candidates.map(tokensOf);
      const resultChars = candidates.reduce((sum, { chars }) => sum + chars, 0);
      let tokens = (totalChars - resultChars) / CHARS_PER_TOKEN;
      for (const size of sizes) tokens += size;
      const leaving = new Set<ToolResult>();
      for (const index of offloadOrder(sizes)) {
        if (tokens <= maxTokens) break;
        const saved = (sizes[index] ?? 0) - REFERENCE_TOKENS;
        if (saved <= 0) continue;
        leaving.add(candidates[index] as ToolResult);
        tokens -= saved;
      }
      return candidates.map((result) => (leaving.has(result) ? offload : stays));
    },
  };
}

/** Positions of results, those to leave first at the front. */
function offloadOrder(sizes: readonly number[]): number[] {
  const half = Math.ceil(sizes.length / 2);
  const largestFirst = (a: number, b: number) => (sizes[b] ?? 0) - (sizes[a] ?? 0) || a - b;
  const positions = [...sizes.keys()];
  return [
    ...positions.slice(0, half).sort(largestFirst),
    ...positions.slice(half).sort(largestFirst),
  ];
}
