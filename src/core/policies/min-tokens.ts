import type { Policy } from "../engine/policy.js";
import { estimateTokens, type CountTokens } from "../lib/tokens/estimate-tokens.js";
import { createResultTokenCounter } from "./count-result-tokens.js";
import { eachResult } from "./each-result.js";
import { requireNumber } from "../arguments.js";

/** A result offload when it has at least this many tokens. */
export function minTokens(threshold: number, countTokens: CountTokens = estimateTokens): Policy {
  requireNumber("minTokens", threshold);
  const tokensOf = createResultTokenCounter(countTokens);
  return eachResult(
    `minTokens(${threshold})`,
    // A token has at least one character, so that a short result need not be counted.
    (result) => result.chars >= threshold && tokensOf(result) >= threshold,
    { offload: "long enough", stays: "too short" },
  );
}
